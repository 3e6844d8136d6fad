/**
 * Load shedding: refuses requests to the API when too many are in flight to be answered in time.
 *
 * A request is in flight from its arrival until its response is ready; the time to send a file or an event stream does
 * not count. By Little's law the number in flight is throughput times latency, so a limit on it bounds the latency.
 * There are two limits:
 * - `maxInFlight`, always. Only a slow dependency brings so many in flight. A hung service may hold its share of them
 *   (chassis/src/rpc/call-bounds.ts); the others continue.
 * - `maxInFlightWhenLate`, while the event loop is late, which means that this process is the slow part. Below it
 *   nothing is refused, because a short pause, as for garbage collection, is no overload. It is more than one hung
 *   service may hold.
 *
 * A refusal is cheap, makes no calls, and takes no token.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@audiosplit/chassis/clock';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { count } from '../../metrics.ts';
import { ApiError } from '../errors/api-error.ts';
import { onRequestEnd } from '../server/request-end.ts';
import { isCall } from './admission.ts';
import { uncountedHeaders } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    isInFlight: boolean;
    /** Whether its handler has started. */
    hasReachedHandler: boolean;
  }
}

export interface LoadLimits {
  readonly maxInFlight: number;
  readonly maxInFlightWhenLate: number;
  readonly maxLoopDelayMs: number;
}

const DEFAULT_LIMITS: LoadLimits = { maxInFlight: 1_500, maxInFlightWhenLate: 600, maxLoopDelayMs: 100 };
const MEASURE_EVERY_MS = 250;
const LOOP_DELAY_RESOLUTION_MS = 10;
/** Spreads the retries of requests that were refused together. */
const RETRY_AFTER_SECONDS = { least: 1, most: 5 };

interface LoadSheddingOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: LoadLimits;
  /** Per address, as shown in the headers of a refusal. */
  readonly requestsPerMinute: number;
}

/** Add it after the hooks that every response needs, and before those that cost anything. */
export function addLoadShedding(app: FastifyInstance, options: LoadSheddingOptions): void {
  const { log, clock, requestsPerMinute, limits = DEFAULT_LIMITS } = options;
  const loopDelay = measureLoopDelay();
  let inFlight = 0;
  let refused = 0;

  /** Undefined below the limit. */
  const limitReached = () => {
    if (inFlight >= limits.maxInFlight) return limits.maxInFlight;
    const isLate = inFlight >= limits.maxInFlightWhenLate && loopDelay.ms() > limits.maxLoopDelayMs;
    return isLate ? limits.maxInFlightWhenLate : undefined;
  };
  const letGo = (request: FastifyRequest) => {
    if (!request.isInFlight) return;
    request.isInFlight = false;
    inFlight -= 1;
  };
  const report = setInterval(() => {
    if (refused > 0)
      log.warn({ refused, inFlight, loopDelayMs: loopDelay.ms() }, 'overloaded: requests are refused');
    refused = 0;
  }, 1_000);
  report.unref();

  app.decorateRequest('isInFlight', false);
  app.decorateRequest('hasReachedHandler', false);
  app.addHook('onRequest', (request, reply, done) => {
    if (!isCall(request)) return done();
    const limit = limitReached();
    if (limit !== undefined) {
      refused += 1;
      count('audiosplit_http_requests_refused_total', { reason: 'overloaded' });
      reply.headers(uncountedHeaders(clock(), requestsPerMinute));
      return done(overloaded(limit));
    }
    request.isInFlight = true;
    inFlight += 1;
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    letGo(request);
    done(null, payload);
  });
  // If the caller disconnects, a request whose handler has started stays in flight until its response is ready. One
  // whose handler never started is released at once.
  app.addHook('preHandler', (request, _reply, done) => {
    request.hasReachedHandler = true;
    done();
  });
  onRequestEnd(app, (request) => {
    if (!request.hasReachedHandler) letGo(request);
  });
  app.addHook('onClose', async () => {
    clearInterval(report);
    loopDelay.stop();
  });
}

function overloaded(limit: number): ApiError {
  const { least, most } = RETRY_AFTER_SECONDS;
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `${limit} requests are in flight, the most that are accepted at the moment; try again shortly.`,
    {
      retryAfterSeconds: least + Math.floor(Math.random() * (most - least + 1)),
      isLogged: true,
    },
  );
}

/** Mean delay of the event loop in the last interval. */
function measureLoopDelay(): { ms(): number; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  histogram.enable();
  let delayMs = 0;
  const timer = setInterval(() => {
    // A sample includes the interval itself. The mean of no samples is NaN.
    delayMs = Number.isFinite(histogram.mean) ? histogram.mean / 1e6 - LOOP_DELAY_RESOLUTION_MS : 0;
    histogram.reset();
  }, MEASURE_EVERY_MS);
  timer.unref();
  return {
    ms: () => delayMs,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
