import { type CountDown, createCountDown } from '../process/count-down.ts';
import { EgressError, type EgressRequest } from './egress.ts';

/** The time from a request's start to its last byte, and the timeouts that end it early. */
export interface RequestLifetime {
  /** Aborted with an EgressError as reason. */
  readonly signal: AbortSignal;
  abort(error: EgressError): void;
  /** The timeouts do not run until the promise has settled. */
  outsideTime<T>(promise: Promise<T>): Promise<T>;
  /** The response's headers have arrived: their timeout stops. */
  headersReceived(): void;
  /** Stops all timers and removes the listener from the caller's signal. */
  end(): void;
}

export function startRequestLifetime(request: EgressRequest): RequestLifetime {
  const controller = new AbortController();
  const abort = (error: EgressError) => controller.abort(error);
  const expireAfter = (timeoutMs: number, what: string): CountDown => {
    const countDown = createCountDown(timeoutMs, () =>
      abort(new EgressError('timeout', `${what} within ${timeoutMs / 1000} s.`)),
    );
    countDown.start();
    return countDown;
  };

  const running = new Set<CountDown>();
  const headersTime = expireAfter(request.headersTimeoutMs, 'The server did not answer');
  running.add(headersTime);
  if (request.totalTimeoutMs !== undefined)
    running.add(expireAfter(request.totalTimeoutMs, 'The request did not finish'));
  const stop = (countDown: CountDown) => {
    countDown.stop();
    running.delete(countDown);
  };
  const onAbort = () => abort(abortedBy(request.signal));
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();

  return {
    signal: controller.signal,
    abort,
    async outsideTime(promise) {
      for (const countDown of running) countDown.stop();
      try {
        return await promise;
      } finally {
        for (const countDown of running) countDown.start();
      }
    },
    headersReceived: () => stop(headersTime),
    end() {
      for (const countDown of running) stop(countDown);
      request.signal?.removeEventListener('abort', onAbort);
    },
  };
}

export function abortedBy(signal: AbortSignal | undefined): EgressError {
  return new EgressError('aborted', 'The request was given up.', { cause: signal?.reason });
}

/**
 * The promise's outcome, or a rejection with `reason` if the signal aborts first. A later outcome is dropped.
 */
export function orAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reason());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
