/**
 * Bounds the cost of calls to another service for the caller.
 * - Time: a call made within another call ends at the latest at that call's deadline.
 * - Number: beyond a maximum of calls in flight to the same method, and to the same service, further calls
 *   are refused at once (`unavailable`). A method or service that hangs then affects only callers that need
 *   it.
 *
 * Streams are long by nature and neither counted nor bounded.
 */
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { timeLeftMs } from './deadline.ts';

interface CallBounds {
  /** For a call without a timeout. */
  readonly defaultTimeoutMs: number;
  readonly maxCallsPerMethod?: number;
  readonly maxCalls?: number;
}

/**
 * More than any account may have in flight, so a burst passes. At most a third of what a gateway handles at
 * once (gateway/src/http/admission/load-shedding.ts), so one service that hangs leaves room for the others.
 */
const MAX_CALLS_PER_METHOD = 400;
const MAX_CALLS = 500;

/** The same transport with bounds. The count belongs to this transport: create one per called service. */
export function withCallBounds(transport: Transport, bounds: CallBounds): Transport {
  const { maxCallsPerMethod = MAX_CALLS_PER_METHOD, maxCalls = MAX_CALLS, defaultTimeoutMs } = bounds;
  const callsOfMethod = new Map<string, number>();
  let calls = 0;
  return {
    async unary(method, signal, timeoutMs, ...request) {
      const leftMs = timeLeftMs();
      if (leftMs !== undefined && leftMs < 1) {
        throw new ConnectError('the deadline of the running call has passed', Code.DeadlineExceeded);
      }
      const ofMethod = callsOfMethod.get(method.name) ?? 0;
      if (calls >= maxCalls || ofMethod >= maxCallsPerMethod) {
        throw new ConnectError(`too many calls wait for ${method.parent.typeName}`, Code.Unavailable);
      }
      calls += 1;
      callsOfMethod.set(method.name, ofMethod + 1);
      try {
        // Connect's header holds whole milliseconds.
        const boundMs =
          leftMs === undefined ? timeoutMs : Math.floor(Math.min(timeoutMs ?? defaultTimeoutMs, leftMs));
        return await transport.unary(method, signal, boundMs, ...request);
      } finally {
        calls -= 1;
        callsOfMethod.set(method.name, (callsOfMethod.get(method.name) ?? 1) - 1);
      }
    },
    stream: (...call) => transport.stream(...call),
  };
}
