/**
 * Refuses requests to the API before there are more in hand than can be answered in good time.
 *
 * A request is in hand from its arrival until its answer is ready; how long a file or a stream of events then takes to
 * send does not count. By Little's law what is in hand is what passes per second times how long it takes, so that a
 * bound on it bounds the wait, whatever arrives. There are two:
 * - `maxInFlight` in any case. So many are only in hand when they wait for something that is slow: a hung service may
 *   hold up to its share of them (chassis/src/rpc/call-bounds.ts), the others go on.
 * - `maxInFlightWhenLate` while the event loop is late, which says that this process itself is what is slow. Below that nothing is
 *   refused, however late the loop: a pause for a moment, as for garbage or by a busy neighbour, is no overload. It is
 *   more than one hung service may hold.
 *
 * A refusal costs a small part of an answer, comes before anything is asked of anyone, and takes no token off a bucket.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@audiosplit/chassis/clock';
import { count } from '@audiosplit/chassis/observability/metrics';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { onRequestEnd } from '../server/request-end.ts';
import { isCounted, uncountedHeaders } from './admission.ts';

declare module 'fastify' {
  interface FastifyRequest {
    isInFlight: boolean;
    /** Whether it has got as far as its handler. */
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
/** Whoever was refused together is not to come back together. */
const RETRY_AFTER_SECONDS = { least: 1, most: 5 };

export interface LoadSheddingOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: LoadLimits;
}

/** To be added after what every answer needs, and before all that costs anything. */
export function addLoadShedding(app: FastifyInstance, options: LoadSheddingOptions): void {
  const { log, clock, limits = DEFAULT_LIMITS } = options;
  const loopDelay = measureLoopDelay();
  let inFlight = 0;
  let refused = 0;

  const isOverloaded = () =>
    inFlight >= limits.maxInFlight || (inFlight >= limits.maxInFlightWhenLate && loopDelay.ms() > limits.maxLoopDelayMs);
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
    if (!isCounted(request)) return done();
    if (isOverloaded()) {
      refused += 1;
      count('audiosplit_http_requests_refused_total', { reason: 'overloaded' });
      reply.headers(uncountedHeaders(clock()));
      return done(overloaded());
    }
    request.isInFlight = true;
    inFlight += 1;
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    letGo(request);
    done(null, payload);
  });
  // What nobody waits for any more is in hand while work on it goes on, and is let go of by its answer; if none ever began, there is
  // none.
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

function overloaded(): ApiError {
  const { least, most } = RETRY_AFTER_SECONDS;
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    'There are too many requests at the moment; try again shortly.',
    {
      retryAfterSeconds: least + Math.floor(Math.random() * (most - least + 1)),
      isLogged: true,
    },
  );
}

/** By how much the event loop was late on average, lately. */
function measureLoopDelay(): { ms(): number; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  histogram.enable();
  let delayMs = 0;
  const timer = setInterval(() => {
    // Each sample holds the time between two looks, and the mean of none is not a number.
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
