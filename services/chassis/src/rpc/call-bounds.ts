/**
 * Bounds what calls to another service may cost the caller.
 *
 * - Time: a call made on behalf of another call ends at that one's deadline at the latest.
 * - Number: of so many calls that wait for the same method, and for the same service, the next is refused at once
 *   (`unavailable`). One that hangs then holds up only the callers that need it.
 *
 * Streams are long by nature, and neither counted nor bounded.
 */
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { timeLeftMs } from './deadline.ts';

interface CallBounds {
  /** Of a call that names none. */
  readonly defaultTimeoutMs: number;
  readonly maxCallsPerMethod?: number;
  readonly maxCalls?: number;
}

/**
 * More than any account may ask for at once, so that a burst passes; a third of what a gateway has in hand at most
 * (gateway/src/http/admission/load-shedding.ts), so that one service that hangs leaves room for the others.
 */
const MAX_CALLS_PER_METHOD = 400;
const MAX_CALLS = 500;

/** The same transport within bounds. What it counts belongs to this one transport: make one per service called. */
export function withCallBounds(transport: Transport, bounds: CallBounds): Transport {
  const { maxCallsPerMethod = MAX_CALLS_PER_METHOD, maxCalls = MAX_CALLS, defaultTimeoutMs } = bounds;
  const callsOfMethod = new Map<string, number>();
  let calls = 0;
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
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
        // Whole milliseconds are what Connect's header holds.
        const boundMs =
          leftMs === undefined ? timeoutMs : Math.floor(Math.min(timeoutMs ?? defaultTimeoutMs, leftMs));
        return await transport.unary(method, signal, boundMs, header, input, contextValues);
      } finally {
        calls -= 1;
        callsOfMethod.set(method.name, (callsOfMethod.get(method.name) ?? 1) - 1);
      }
    },
    stream: (...call) => transport.stream(...call),
  };
}
