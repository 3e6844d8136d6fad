/**
 * Late refusals: an address that goes on after its refusals gets further ones after a pause. A client that waits for
 * its response then makes few requests, and a refusal costs a timer and an open socket instead of the event loop's
 * time. The first refusals of a minute are sent at once: honest clients stop at those.
 *
 * The number of pauses is bounded. Beyond it a refusal is sent at once, and its connection closed; so is the
 * second one on a connection, whose client does not wait. A body that arrives during a pause is discarded, up to a
 * bound: kept, it would use memory.
 *
 * An address that is refused even more often floods. Its new connections are bounded by server/connections.ts, or by a
 * proxy that reads FLOOD_HEADER. A refusal counts more if the window is spent: callers who did nothing wrong can be
 * refused because too many calls wait to be identified.
 */
import type { Socket } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { FLOOD_HEADER } from '@audiosplit/chassis/net/client-network';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { WINDOW_SECONDS } from '../../rate-limit/rate-limiter.ts';
import { createWindowCounts } from '../../rate-limit/window-counts.ts';
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
  const counting = { clock, windowSeconds: WINDOW_SECONDS, maxNames: MAX_COUNTED_ADDRESSES };
  const refusals = createWindowCounts(counting);
  const points = createWindowCounts(counting);
  const paused = new Map<Socket, () => void>();
  let isOver = delaySeconds === 0;

  const count = ({ address, isWindowSpent }: AddressRefusal) => {
    refusals.add(address);
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
