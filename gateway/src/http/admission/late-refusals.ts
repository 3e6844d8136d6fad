/**
 * Late refusals: an address that goes on after its window is spent gets further refusals after a pause. A client
 * that waits for its response then makes few requests, and a refusal costs a timer and an open socket instead of
 * the event loop's time. The first refusals of a minute are sent at once: honest clients stop at those.
 *
 * The number of pauses is bounded. Beyond it a refusal is sent at once, and its connection closed. A body that is
 * not read is discarded meanwhile: kept, it would use memory.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { WINDOW_SECONDS } from '../../rate-limit/rate-limiter.ts';
import { onRequestEnd } from '../server/request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bucket of an address, if the request is refused because its window is spent. */
    spentWindow: string | undefined;
  }
}

const PROMPT_REFUSALS = 10;
const MAX_COUNTED_WINDOWS = 100_000;

export interface LateRefusals {
  readonly paused: number;
}

interface LateRefusalOptions {
  readonly clock: Clock;
  readonly bounds: Pick<Bounds, 'REFUSAL_DELAY_SECONDS' | 'MAX_DELAYED_REFUSALS'>;
}

/** Add it after load shedding, for which a paused request is no longer in flight. */
export function addLateRefusals(app: FastifyInstance, { clock, bounds }: LateRefusalOptions): LateRefusals {
  const { REFUSAL_DELAY_SECONDS: delaySeconds, MAX_DELAYED_REFUSALS: maxPaused } = bounds;
  const countRefusal = createRefusalCount(clock);
  const paused = new Map<FastifyRequest, () => void>();

  app.decorateRequest('spentWindow', undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    const { spentWindow } = request;
    const isPrompt =
      delaySeconds === 0 || spentWindow === undefined || countRefusal(spentWindow) <= PROMPT_REFUSALS;
    if (isPrompt) return done(null, payload);
    if (paused.size >= maxPaused) {
      reply.header('connection', 'close');
      return done(null, payload);
    }
    const timer = setTimeout(() => goOn(), delaySeconds * 1_000);
    const goOn = () => {
      clearTimeout(timer);
      if (paused.delete(request)) done(null, payload);
    };
    paused.set(request, goOn);
    request.raw.resume();
  });
  const goOnWithAll = () => {
    for (const goOn of [...paused.values()]) goOn();
  };
  onRequestEnd(app, (request) => paused.get(request)?.());
  app.addHook('preClose', async () => goOnWithAll());
  return {
    get paused() {
      return paused.size;
    },
  };
}

/** Counts the refusals of each window. */
function createRefusalCount(clock: Clock): (window: string) => number {
  const counts = new Map<string, number>();
  let minute = 0;
  return (window) => {
    const now = Math.floor(clock().getTime() / 1_000 / WINDOW_SECONDS);
    if (now !== minute || counts.size >= MAX_COUNTED_WINDOWS) counts.clear();
    minute = now;
    const count = (counts.get(window) ?? 0) + 1;
    counts.set(window, count);
    return count;
  };
}
