/**
 * Passes the source to an engine, and holds a slot for the job as long as there are bytes to process.
 *
 * A job queues for a slot when ENOUGH_BYTES or the end of its source have arrived, and continues to fetch
 * ahead while it waits. With a slot, the engine reads bytes from the connection as it needs them. An engine
 * that waits for bytes for most of STARVED_MS, and gets less than KEEP_BYTES, gives up the slot and queues again as
 * before. A few bytes now and then keep no slot: a source may send them for an hour.
 *
 * An engine that may starve uses memory meanwhile, so it also needs a slot in `streaming`. If none is free, the
 * job does not wait for one, because a source that trickles may hold it for an hour: it fetches its whole
 * source into the scratch space that it has reserved, and queues for a slot then.
 */
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import { createStopwatch } from '../stopwatch.ts';
import type { AccountPlaces, Place } from './account-places.ts';
import type { AheadBuffer } from './ahead-buffer.ts';
import { type CoreTurn, STARVED_MS, withoutSlot } from './core-turns.ts';

/** The bytes with which a job queues for a slot, unless its source ends earlier. */
export const ENOUGH_BYTES = 1024 * 1024;
/** No more of a source is read before the job has a slot, or has reserved scratch space for all of it. */
export const MAX_AHEAD_BYTES = 2 * ENOUGH_BYTES;

/** Of STARVED_MS. */
const STARVED_RATIO = 0.8;
const KEEP_BYTES = 64 * 1024;
/** A shorter wait for a slot does not count as one. */
const WAITED_MS = 5;

export interface FedSource extends Disposable {
  /**
   * Resolves once the job has its first slot; with a file if the whole source had to be fetched first. A source in
   * the store is not fetched ahead.
   */
  ready(isStored: boolean): Promise<LocalFile | undefined>;
  /** Read once, unless `ready` gave a file. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** For a wait of the engine for another part of the source: the slot is given up as when it starves. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
  /** As in SplitOptions. */
  readonly onHunger: (isHungry: boolean) => void;
}

interface FedSourceOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly accountId: string;
  readonly turn: CoreTurn;
  /** Slots of engines whose sources are still arriving. */
  readonly streaming: AccountPlaces;
  readonly buffer: AheadBuffer;
  /** Reserves scratch space for the source. Called once, before the job queues for the first time. */
  readonly prepare: () => Promise<void>;
  readonly signal: AbortSignal;
}

export function createFedSource(options: FedSourceOptions): FedSource {
  const { body, accountId, turn, streaming, buffer, prepare, signal } = options;
  const iterator = body[Symbol.asyncIterator]();
  const ended = Promise.withResolvers<void>();
  let hasEnded = false;
  let fetchesWhole = false;
  let pending: Promise<IteratorResult<Uint8Array>> | undefined;
  let streamingPlace: Place | undefined;
  let prepared: Promise<void> | undefined;
  let starvation: NodeJS.Timeout | undefined;
  const hunger = createStopwatch();
  let fedBytes = 0;

  const pull = () => {
    if (pending === undefined) {
      pending = iterator.next();
      // It may fail while earlier bytes are read; the next read gets the error.
      pending.catch(() => undefined);
    }
    return pending;
  };
  /** Undefined at the end. */
  const taken = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await pull();
    pending = undefined;
    if (done !== true) return value;
    hasEnded = true;
    ended.resolve();
    streamingPlace?.[Symbol.dispose]();
    return undefined;
  };

  async function lineUp(): Promise<void> {
    // Only before the first slot: later, the engine reads what arrives.
    if (prepared === undefined && !hasEnded) {
      streamingPlace = streaming.enterIfFree(accountId);
      fetchesWhole = streamingPlace === undefined;
    }
    prepared ??= prepare();
    await prepared;
    if (fetchesWhole) await ended.promise;
    await turn.acquire(accountId, signal);
  }

  /** Beyond the first bytes only once scratch space is reserved. */
  async function mayFetchMore(): Promise<boolean> {
    if (hasEnded) return false;
    if (buffer.sizeBytes() < MAX_AHEAD_BYTES) return true;
    await prepared;
    return fetchesWhole;
  }

  /** Fetches ahead until the job has a slot. */
  async function gather(): Promise<void> {
    let inLine: Promise<void> | undefined;
    while (!turn.isHeld()) {
      if (inLine === undefined && (hasEnded || buffer.sizeBytes() >= ENOUGH_BYTES)) {
        inLine = lineUp();
        inLine.catch(() => undefined);
      }
      if (inLine !== undefined && !(await mayFetchMore())) {
        await inLine;
        return;
      }
      // Each race with a promise that stays pending keeps a chunk in memory, and the whole source may take long.
      await (inLine === undefined ? pull() : Promise.race([pull(), fetchesWhole ? prepared : inLine]));
      if (turn.isHeld()) return;
      const chunk = await taken();
      if (chunk !== undefined) await buffer.add(chunk);
    }
  }

  /** Repeated: the slot may have been passed on at first, and be held again while the engine still starves. */
  const checkStarvation = () => {
    const isStarved = hunger.takeMs() >= STARVED_RATIO * STARVED_MS && fedBytes < KEEP_BYTES;
    if (isStarved && pending !== undefined) turn.giveUp();
    fedBytes = 0;
  };

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const askedAtMs = performance.now();
        await turn.pause(signal);
        if (!turn.isHeld()) await gather();
        // Hunger without a slot does not count.
        if (performance.now() - askedAtMs > WAITED_MS) hunger.takeMs();
        fedBytes += buffer.sizeBytes();
        if (buffer.sizeBytes() > 0) yield* buffer.drain();
        if (hasEnded) return;
        const chunk = await taken();
        if (chunk !== undefined && turn.isHeld()) {
          fedBytes += chunk.byteLength;
          yield chunk;
        } else if (chunk !== undefined) await buffer.add(chunk);
      }
    } finally {
      // Not awaited: a read in flight ends when the source is closed.
      void iterator.return?.()?.catch(() => undefined);
    }
  }

  return {
    async ready(isStored) {
      if (isStored) {
        prepared = prepare();
        await prepared;
        await turn.acquire(accountId, signal);
        return undefined;
      }
      await gather();
      return fetchesWhole ? await buffer.toFile() : undefined;
    },
    chunks: read(),
    withoutSlot: (wait) => withoutSlot({ turn, accountId, signal }, wait),
    onHunger(isHungry) {
      if (!isHungry) return hunger.stop();
      hunger.start();
      starvation ??= setInterval(checkStarvation, STARVED_MS);
    },
    [Symbol.dispose]() {
      clearInterval(starvation);
      streamingPlace?.[Symbol.dispose]();
    },
  };
}
