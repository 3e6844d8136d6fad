/**
 * Late refusals: an address that goes on after its refusals gets further ones after a pause. A client that waits for
 * its response then makes few requests, and a refusal costs a timer and an open socket instead of the event loop's
 * time. The first refusals of a minute are sent at once: honest clients stop at those.
 *
 * The number of pauses is bounded. Beyond it a refusal is sent at once, and its connection closed; so is the
 * second one on a connection, whose client does not wait. A body that arrives during a pause is discarded, up to a
 * bound: kept, it would use memory.
 *
 * An address with more refusals still floods: its client does not wait. Its new connections are bounded, by
 * server/connections.ts, or by the proxy that reads FLOOD_HEADER. A refusal because the window is spent counts more than
 * one because the call could not wait to be identified, which also meets callers who did nothing wrong.
 */
import type { Socket } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { FLOOD_HEADER } from '@audiosplit/chassis/net/client-network';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { WINDOW_SECONDS } from '../../rate-limit/rate-limiter.ts';
import type { AddressRefusal } from '../errors/api-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request is refused because of its address. */
    addressRefusal: AddressRefusal | undefined;
  }
}

const PROMPT_REFUSALS = 10;
const FLOOD_POINTS = 20;
const POINTS_OF_SPENT_WINDOW = 2;
const MAX_COUNTED_ADDRESSES = 100_000;
const MAX_DISCARDED_BYTES = 256 * 1024;

export interface LateRefusals {
  readonly paused: number;
  /** Counts a refusal that is sent at once in any case. */
  count(refusal: AddressRefusal): void;
  isFlooding(address: string): boolean;
  /** Calls `send` once the response may be sent, which is at once for all but late refusals. */
  schedule(request: FastifyRequest, reply: FastifyReply, send: () => void): void;
  /** Ends all pauses; there are no further ones. */
  end(): void;
}

interface LateRefusalOptions {
  readonly clock: Clock;
  readonly bounds: Pick<Bounds, 'REFUSAL_DELAY_SECONDS' | 'MAX_DELAYED_REFUSALS'>;
  readonly isBehindProxy: boolean;
}

export function createLateRefusals({ clock, bounds, isBehindProxy }: LateRefusalOptions): LateRefusals {
  const { REFUSAL_DELAY_SECONDS: delaySeconds, MAX_DELAYED_REFUSALS: maxPaused } = bounds;
  const refusals = createCounter(clock);
  const points = createCounter(clock);
  const paused = new Map<Socket, () => void>();
  let isOver = delaySeconds === 0;

  const count = ({ address, isWindowSpent }: AddressRefusal) => {
    refusals.add(address, 1);
    points.add(address, isWindowSpent ? POINTS_OF_SPENT_WINDOW : 1);
  };
  const isFlooding = (address: string) => points.of(address) >= FLOOD_POINTS;
  const pause = ({ raw }: FastifyRequest, reply: FastifyReply, send: () => void) => {
    const { socket } = raw;
    const goOn = () => {
      clearTimeout(timer);
      socket.off('close', goOn);
      if (!paused.delete(socket)) return;
      if (!raw.complete) reply.header('connection', 'close');
      send();
    };
    const timer = setTimeout(goOn, delaySeconds * 1_000);
    socket.once('close', goOn);
    paused.set(socket, goOn);
    if (raw.complete) return;
    let leftBytes = MAX_DISCARDED_BYTES;
    raw.on('data', ({ length }: Buffer) => {
      leftBytes -= length;
      if (leftBytes < 0) goOn();
    });
  };

  return {
    get paused() {
      return paused.size;
    },
    count,
    isFlooding,
    schedule(request, reply, send) {
      const { addressRefusal, raw } = request;
      if (addressRefusal === undefined) return send();
      const isLate = !isOver && refusals.of(addressRefusal.address) >= PROMPT_REFUSALS;
      count(addressRefusal);
      if (isBehindProxy && isFlooding(addressRefusal.address)) reply.header(FLOOD_HEADER, '1');
      if (!isLate || raw.socket.destroyed) return send();
      const endEarlier = paused.get(raw.socket);
      if (endEarlier === undefined && paused.size < maxPaused) return pause(request, reply, send);
      endEarlier?.();
      reply.header('connection', 'close');
      send();
    },
    end() {
      isOver = true;
      for (const goOn of [...paused.values()]) goOn();
    },
  };
}

/** Add it after load shedding, for which a paused request is no longer in flight. */
export function addLateRefusals(app: FastifyInstance, refusals: LateRefusals): void {
  app.decorateRequest('addressRefusal', undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    refusals.schedule(request, reply, () => done(null, payload));
  });
  app.addHook('preClose', async () => refusals.end());
}

/** Counts by name within a minute. */
function createCounter(clock: Clock) {
  const counts = new Map<string, number>();
  let minute = 0;
  const countsOfNow = () => {
    const now = Math.floor(clock().getTime() / 1_000 / WINDOW_SECONDS);
    if (now !== minute || counts.size >= MAX_COUNTED_ADDRESSES) counts.clear();
    minute = now;
    return counts;
  };
  return {
    add(name: string, count: number): void {
      const all = countsOfNow();
      all.set(name, (all.get(name) ?? 0) + count);
    },
    of: (name: string): number => countsOfNow().get(name) ?? 0,
  };
}
