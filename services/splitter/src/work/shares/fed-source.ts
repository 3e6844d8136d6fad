/**
 * Gives an engine its source, and the job a slot for as long as there are bytes to work on.
 *
 * A job lines up for a slot when ENOUGH_BYTES or the end of its source are there, and goes on to fetch ahead while it
 * waits. With a slot bytes go from the connection to the engine as it asks for them. An engine that has nothing to read
 * for STARVED_MS gives the slot up, and lines up as before. An engine that may starve takes memory while it does: it needs
 * a place among those; one whose source is whole cannot.
 */
import type { AccountPlaces, Place } from './account-places.ts';
import type { AheadBuffer } from './ahead-buffer.ts';
import { type CoreTurn, STARVED_MS } from './core-turns.ts';

/** What a job lines up for a slot with, unless its source ends before. */
export const ENOUGH_BYTES = 1024 * 1024;
/** Nothing more of a source is read before the job has a slot. */
export const MAX_AHEAD_BYTES = 2 * ENOUGH_BYTES;

export interface FedSource extends Disposable {
  /** Resolves once the job has a slot for the first time; nothing is waited for of a source that lies in the store. */
  ready(isStored: boolean): Promise<void>;
  /** Read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** A wait of the engine for something else of the source: the slot is given up as while it starves. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
  /** As of SplitOptions. */
  readonly onHunger: (isHungry: boolean) => void;
}

interface FedSourceOptions {
  readonly body: AsyncIterable<Uint8Array>;
  readonly accountId: string;
  readonly turn: CoreTurn;
  /** Places of engines whose sources are still coming in. */
  readonly streaming: AccountPlaces;
  readonly buffer: AheadBuffer;
  /** Called once, before the job lines up for the first time. */
  readonly prepare: () => Promise<void>;
  readonly signal: AbortSignal;
}

export function createFedSource(options: FedSourceOptions): FedSource {
  const { body, accountId, turn, streaming, buffer, prepare, signal } = options;
  const iterator = body[Symbol.asyncIterator]();
  const ended = new AbortController();
  let pending: Promise<IteratorResult<Uint8Array>> | undefined;
  let streamingPlace: Place | undefined;
  let prepared: Promise<void> | undefined;
  let starving: NodeJS.Timeout | undefined;

  const pull = () => {
    if (pending === undefined) {
      pending = iterator.next();
      // It may fail while bytes of before are read; the next read meets the failure.
      pending.catch(() => undefined);
    }
    return pending;
  };
  /** Undefined at the end. */
  const taken = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await pull();
    pending = undefined;
    if (done !== true) return value;
    ended.abort();
    streamingPlace?.[Symbol.dispose]();
    return undefined;
  };

  async function lineUp(): Promise<void> {
    prepared ??= prepare();
    await prepared;
    if (!ended.signal.aborted && streamingPlace === undefined) {
      try {
        streamingPlace = await streaming.enter(accountId, AbortSignal.any([signal, ended.signal]));
      } catch (error) {
        if (signal.aborted) throw error;
      }
    }
    await turn.acquire(accountId, signal);
  }

  /** Fetches ahead until the job has a slot. */
  async function gather(): Promise<void> {
    let inLine: Promise<void> | undefined;
    while (!turn.isHeld()) {
      if (inLine === undefined && (ended.signal.aborted || buffer.sizeBytes() >= ENOUGH_BYTES)) {
        inLine = lineUp();
        inLine.catch(() => undefined);
      }
      if (inLine !== undefined && (ended.signal.aborted || buffer.sizeBytes() >= MAX_AHEAD_BYTES)) {
        await inLine;
        return;
      }
      await (inLine === undefined ? pull() : Promise.race([pull(), inLine]));
      if (turn.isHeld()) return;
      const chunk = await taken();
      if (chunk !== undefined) await buffer.add(chunk);
    }
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (!turn.isHeld()) await gather();
        if (buffer.sizeBytes() > 0) yield* buffer.drain();
        if (ended.signal.aborted) return;
        const chunk = await taken();
        if (chunk !== undefined && turn.isHeld()) yield chunk;
        else if (chunk !== undefined) await buffer.add(chunk);
      }
    } finally {
      // Not waited for: a read in flight ends when the source is closed.
      void iterator.return?.()?.catch(() => undefined);
    }
  }

  return {
    async ready(isStored) {
      if (!isStored) return await gather();
      await prepare();
      await turn.acquire(accountId, signal);
    },
    chunks: read(),
    async withoutSlot(wait) {
      const timer = setTimeout(turn.giveUp, STARVED_MS);
      try {
        return await wait();
      } finally {
        clearTimeout(timer);
        await turn.acquire(accountId, signal);
      }
    },
    onHunger(isHungry) {
      clearTimeout(starving);
      if (!isHungry) return;
      starving = setTimeout(() => {
        if (pending !== undefined && turn.isHeld()) turn.giveUp();
      }, STARVED_MS);
    },
    [Symbol.dispose]() {
      clearTimeout(starving);
      streamingPlace?.[Symbol.dispose]();
    },
  };
}
