/**
 * Runs the unary methods of a service's routes, for requests from a socket or from a caller in the same
 * process.
 */
import { create, type DescMethod, type Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type UnaryResponse,
} from '@connectrpc/connect';
import { parseTimeout } from '@connectrpc/connect/protocol-connect';

export type UnaryMethod = Extract<MethodImplSpec, { kind: 'unary' }>;

/** The unary methods that `routes` serve, by their descriptor. */
export function unaryMethodsOf(routes: (router: ConnectRouter) => void): Map<DescMethod, UnaryMethod> {
  const methods = new Map<DescMethod, UnaryMethod>();
  const add = (spec: MethodImplSpec) => {
    if (spec.kind === 'unary') methods.set(spec.method, spec);
  };
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) add(spec);
      return router;
    },
    rpc(method, implementation) {
      add(createMethodImplSpec(method, implementation));
      return router;
    },
  };
  routes(router);
  return methods;
}

interface UnaryRunOptions {
  readonly method: UnaryMethod;
  readonly interceptors: readonly Interceptor[];
  readonly url: string;
  readonly header: Headers;
  /** Longest deadline that is granted; a call with a longer one is refused. */
  readonly maxTimeoutMs: number;
}

export interface UnaryRun {
  /** Call it once; rejects as the method or an interceptor does. */
  invoke(message: Message): Promise<UnaryOutcome>;
  /** Call it when the caller has disconnected. */
  cancel(reason: ConnectError): void;
}

export interface UnaryOutcome {
  readonly message: Message;
  /** Undefined until first use; most methods never use it. */
  readonly header: Headers | undefined;
  readonly trailer: Headers | undefined;
}

type Call = Parameters<Interceptor>[0];

/**
 * Throws ConnectError for a deadline that is malformed or too long. Signals and Headers are slow to create,
 * so they are created only for methods that read them.
 */
export function startUnaryRun(options: UnaryRunOptions): UnaryRun {
  const { method: implementation, interceptors, url, header, maxTimeoutMs } = options;
  const { method } = implementation;
  const service = method.parent;
  const { timeoutMs, error } = parseTimeout(header.get('connect-timeout-ms'), maxTimeoutMs);
  if (error !== undefined) throw error;
  const lifetime = createLifetime(timeoutMs);
  let responseHeader: Headers | undefined;
  let responseTrailer: Headers | undefined;

  const ownResponse = (message: Message): UnaryResponse => ({
    stream: false,
    service,
    method,
    message,
    get header() {
      responseHeader ??= new Headers();
      return responseHeader;
    },
    get trailer() {
      responseTrailer ??= new Headers();
      return responseTrailer;
    },
  });
  let own: UnaryResponse | undefined;
  const innermost: Call = async (request) => {
    if (request.stream) throw becameStream();
    const context: HandlerContext = {
      service,
      method,
      protocolName: 'connect',
      requestMethod: request.requestMethod,
      url,
      timeoutMs: lifetime.leftMs,
      requestHeader: request.header,
      values: request.contextValues,
      get signal() {
        return request.signal;
      },
      get responseHeader() {
        responseHeader ??= new Headers();
        return responseHeader;
      },
      get responseTrailer() {
        responseTrailer ??= new Headers();
        return responseTrailer;
      },
    };
    own = ownResponse(create(method.output, await implementation.impl(request.message, context)));
    return own;
  };
  const call = interceptors.reduceRight<Call>((next, interceptor) => interceptor(next), innermost);

  return {
    async invoke(message) {
      try {
        const response = await call({
          stream: false,
          service,
          method,
          requestMethod: 'POST',
          url,
          header,
          contextValues: createContextValues(),
          message,
          get signal() {
            return lifetime.signal();
          },
        });
        if (response.stream) throw becameStream();
        return response === own
          ? { message: response.message, header: responseHeader, trailer: responseTrailer }
          : response;
      } finally {
        lifetime.end();
      }
    },
    cancel: lifetime.end,
  };
}

interface Lifetime {
  /** Aborts at the deadline, and at the end. */
  signal(): AbortSignal;
  leftMs(): number | undefined;
  end(reason?: ConnectError): void;
}

function createLifetime(timeoutMs: number | undefined): Lifetime {
  let ended: { readonly reason: ConnectError | undefined } | undefined;
  let controller: AbortController | undefined;
  const end = (reason?: ConnectError) => {
    clearTimeout(timer);
    ended ??= { reason };
    controller?.abort(reason);
  };
  const expire = () => end(new ConnectError('the operation timed out', Code.DeadlineExceeded));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  const endsAtMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  return {
    signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (ended !== undefined) controller.abort(ended.reason);
      }
      return controller.signal;
    },
    leftMs: () => (endsAtMs === undefined ? undefined : endsAtMs - performance.now()),
    end,
  };
}

function becameStream(): ConnectError {
  return new ConnectError('a unary call has become a stream', Code.Internal);
}

export function tooLarge(bytes: number, maxBytes: number): ConnectError {
  return new ConnectError(`the message has ${bytes} bytes, more than ${maxBytes}`, Code.ResourceExhausted);
}
