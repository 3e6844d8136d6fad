/**
 * Calls to a service in the same process: the interceptors of both sides and the method, without sockets,
 * HTTP or framing. Everything a caller or a method can observe of a remote call is preserved. Messages are
 * copied through their binary form, so neither side sees the other's later changes, and what the wire would
 * refuse is refused. Errors keep code, message, details and metadata and lose everything else. Deadline and
 * cancellation reach the method, and a method that ignores them does not block its caller. Streaming methods
 * use the stock transport.
 */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createRouterTransport,
  type Interceptor,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { errorFromJson, errorToJson } from '@connectrpc/connect/protocol-connect';
import { startUnaryRun, tooLarge, unaryMethodsOf } from './methods.ts';
import { createUnaryCall } from './unary.ts';

interface InProcessTransportOptions {
  readonly routes: (router: ConnectRouter) => void;
  readonly serverInterceptors: readonly Interceptor[];
  readonly clientInterceptors: readonly Interceptor[];
  readonly defaultTimeoutMs: number;
  /** Longest deadline that the service grants, whatever its caller requests. */
  readonly maxTimeoutMs: number;
  /** Maximum size of one message, either way; a larger one fails as `resource_exhausted`. */
  readonly maxMessageBytes: number;
}

const BASE_URL = 'https://in-memory';

export function createInProcessTransport(options: InProcessTransportOptions): Transport {
  const { routes, defaultTimeoutMs, maxTimeoutMs, maxMessageBytes } = options;
  const serverInterceptors = [...options.serverInterceptors];
  const interceptors = [...options.clientInterceptors];
  const methods = unaryMethodsOf(routes);
  const router = { interceptors: serverInterceptors, maxTimeoutMs };
  const streaming = createRouterTransport(routes, { transport: { interceptors, defaultTimeoutMs }, router });

  const serve = ({ service, method, header, url, message, signal }: UnaryRequest): Promise<UnaryResponse> =>
    new Promise((resolve, reject) => {
      const implementation = methods.get(method);
      if (implementation === undefined) {
        throw new ConnectError(`${service.typeName}/${method.name} is not served here`, Code.Unimplemented);
      }
      const run = startUnaryRun({
        method: implementation,
        interceptors: serverInterceptors,
        url,
        header: new Headers(header),
        maxTimeoutMs,
      });
      const abort = () => {
        run.cancel(ConnectError.from(signal.reason, Code.Canceled));
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      run
        .invoke(copyOf(method.input, message, maxMessageBytes))
        .then((outcome) => ({
          stream: false as const,
          service,
          method,
          message: copyOf(method.output, outcome.message, maxMessageBytes),
          header: outcome.header ?? new Headers(),
          trailer: outcome.trailer ?? new Headers(),
        }))
        .then(resolve, (error) => reject(overTheWire(error)))
        .finally(() => signal.removeEventListener('abort', abort));
    });
  return {
    unary: createUnaryCall({ baseUrl: BASE_URL, interceptors, defaultTimeoutMs }, serve),
    stream: (...call) => streaming.stream(...call),
  };
}

function copyOf<D extends DescMessage>(desc: D, message: MessageShape<D>, maxBytes: number): MessageShape<D> {
  const bytes = toBinary(desc, message);
  if (bytes.byteLength > maxBytes) throw tooLarge(bytes.byteLength, maxBytes);
  return fromBinary(desc, bytes);
}

/** The error as a caller in another process would receive it. */
function overTheWire(error: unknown): ConnectError {
  const thrown = error instanceof ConnectError ? error : new ConnectError('internal error', Code.Internal);
  return errorFromJson(errorToJson(thrown, undefined), thrown.metadata, new ConnectError('', Code.Internal));
}
