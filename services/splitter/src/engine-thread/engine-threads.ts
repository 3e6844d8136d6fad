/**
 * Engine threads for all concurrent splits.
 *
 * A thread is kept for the next split, with its code loaded and compiled: loading takes as long as many short
 * splits. It is replaced when it has died, when it reported an unexpected error, when its memory has grown,
 * and after `maxSplits` in any case, in case something else accumulates. The caller bounds the number of
 * concurrent splits, and with it the threads.
 */
import { extname } from 'node:path';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { type EngineThread, startEngineThread } from './engine-thread.ts';
import { EngineThreadError } from './engine-thread-error.ts';
import { THREAD_LIMITS, type ThreadLimits } from './thread-limits.ts';

/** Beside this module, and like it TypeScript in the source tree and JavaScript in a build. */
const ENTRY = new URL(`thread-main${extname(import.meta.filename)}`, import.meta.url);

interface EngineThreadsOptions {
  readonly log: Logger;
  readonly limits?: ThreadLimits;
  /**
   * The sources never look at a chunk again that they have yielded: its memory may be taken away from them,
   * which saves a copy. Absent: it may not.
   */
  readonly takesOverChunks?: boolean;
  /** A module that calls `serveSplits`; absent: the engine itself. */
  readonly entry?: URL;
}

/** Disposing ends all threads, and with them the splits that still run. */
export interface EngineThreads extends AsyncDisposable {
  /**
   * `splitAudio` in a thread of its own: same outcomes, same errors, the caller's own error objects included.
   * The source is read up to 1 MB ahead. Rejects with
   * `EngineThreadError` where the thread hangs, crashes or runs out of memory.
   */
  split(options: SplitOptions): Promise<SplitResult>;
}

/** Starts one thread ahead, so that an engine which cannot be loaded is found out now. */
export async function startEngineThreads({
  log,
  limits = THREAD_LIMITS,
  takesOverChunks = false,
  entry = ENTRY,
}: EngineThreadsOptions): Promise<EngineThreads> {
  const splitsOf = new Map<EngineThread, number>();
  const idle: EngineThread[] = [];
  let isClosed = false;

  async function start(): Promise<EngineThread> {
    const thread = await startEngineThread({ entry, limits, takesOverChunks, log });
    splitsOf.set(thread, 0);
    return thread;
  }

  async function take(): Promise<EngineThread> {
    while (!isClosed) {
      const thread = idle.pop() ?? (await start());
      if (thread.isFit() && !isClosed) return thread;
      await end(thread);
    }
    throw new EngineThreadError('closed', 'the engine threads are closed');
  }

  async function giveBack(thread: EngineThread): Promise<void> {
    const splits = (splitsOf.get(thread) ?? 0) + 1;
    splitsOf.set(thread, splits);
    if (thread.isFit() && !thread.hasGrown() && splits < limits.maxSplits) idle.push(thread);
    else await end(thread);
  }

  async function end(thread: EngineThread): Promise<void> {
    splitsOf.delete(thread);
    await thread[Symbol.asyncDispose]();
  }

  idle.push(await start());
  return {
    async split(options) {
      const thread = await take();
      try {
        return await thread.split(options);
      } finally {
        await giveBack(thread);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...splitsOf.keys()].map(end));
    },
  };
}
