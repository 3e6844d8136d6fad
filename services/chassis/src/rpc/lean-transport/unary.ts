/**
 * The parts of a unary call that do not depend on how it is sent: headers, interceptors, deadline,
 * cancellation.
 */
import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type Interceptor,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { requestHeader } from '@connectrpc/connect/protocol-connect';

export interface UnaryCallOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly interceptors: readonly Interceptor[];
  /** The timeout of a call that sets none; 0 or less: no deadline. */
  readonly defaultTimeoutMs: number;
}

/** Rejects when the request's signal aborts, among other reasons. */
type SendUnary = (request: UnaryRequest) => Promise<UnaryResponse>;

type Call = Parameters<Interceptor>[0];

/** Rejects with ConnectError only, also at its deadline or on cancellation. */
export function createUnaryCall(options: UnaryCallOptions, send: SendUnary): Transport['unary'] {
  const { baseUrl, interceptors, defaultTimeoutMs } = options;
  const innermost: Call = async (request) => {
    if (request.stream) throw new ConnectError('a unary call has become a stream', Code.Internal);
    request.signal.throwIfAborted();
    return send(request);
  };
  // As in connect itself, the first interceptor is the outermost.
  const call = interceptors.reduceRight<Call>((next, interceptor) => interceptor(next), innermost);

  return async <I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    // Connect defines these parameters one by one.
    ...[header, input, contextValues]: [
      header: Parameters<Transport['unary']>[3],
      input: MessageInitShape<I>,
      contextValues?: ContextValues,
    ]
  ) => {
    const deadlineMs = wholeDeadline(timeoutMs ?? defaultTimeoutMs);
    const ended = new AbortController();
    const cancel = () => ended.abort(signal?.reason);
    const expire = () => ended.abort(new ConnectError('the operation timed out', Code.DeadlineExceeded));
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const timer = deadlineMs === undefined ? undefined : setTimeout(expire, deadlineMs);
    try {
      const response = await call({
        stream: false,
        service: method.parent,
        method,
        requestMethod: 'POST',
        url: `${baseUrl}/${method.parent.typeName}/${method.name}`,
        header: requestHeader('unary', true, deadlineMs, header, true),
        contextValues: contextValues ?? createContextValues(),
        message: create(method.input, input),
        signal: ended.signal,
      });
      // The method determines the message's type, which interceptors do not know.
      return response as UnaryResponse<I, O>;
    } catch (error) {
      throw ended.signal.aborted
        ? ConnectError.from(ended.signal.reason, Code.Canceled)
        : ConnectError.from(error, Code.Internal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  };
}

/** The wire carries whole milliseconds. */
function wholeDeadline(timeoutMs: number): number | undefined {
  return timeoutMs <= 0 ? undefined : Math.ceil(timeoutMs);
}
