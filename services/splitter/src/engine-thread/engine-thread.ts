/**
 * One worker thread with the splitting engine, seen from the host.
 *
 * A failure in it ends at most the thread. V8 bounds its heap; its array buffers and its event loop are
 * watched. When it has ended the host kills its child processes and clears the scratch folder. The split
 * rejects with `EngineThreadError`; the thread takes no further split.
 *
 * A thread that waits inside a system call, such as for a disk that does not answer, is abandoned: its split
 * is rejected, and the thread ends when the call returns.
 *
 * Not covered: a fault of Node itself (a native crash ends the process), and a single allocation by V8 beyond
 * any limit. Child processes of a dead thread are killed but stay in the process table until this process
 * ends, because only the event loop that started them could fetch their exit codes.
 */
import { readdir, rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { isAttack, MediaError } from '@audiosplit/engine/media-error';
import { createChildGroups } from './child-groups.ts';
import { EngineThreadError } from './engine-thread-error.ts';
import { type FromThread, type SplitRequest, type ThreadData, type ToThread, VITALS } from './protocol.ts';
import { openSplitSession } from './split-session.ts';
import type { ThreadLimits } from './thread-limits.ts';
import { traceChildren } from './traced-children.ts';
import { tickIntervalOf, watchVitals } from './watchdog.ts';

interface EngineThreadOptions {
  /** A module that calls `serveSplits`. */
  readonly entry: URL;
  readonly limits: ThreadLimits;
  readonly takesOverChunks: boolean;
  /** Receives an entry for each thread that dies while it is needed. */
  readonly log: Logger;
}

export interface EngineThread extends AsyncDisposable {
  /** Like `splitAudio`, one at a time; rejects with `EngineThreadError` when the thread dies. */
  split(options: SplitOptions): Promise<SplitResult>;
  /** False once it is dead or has reported an unexpected error. */
  isFit(): boolean;
  /** True if, after a split, its memory holds much more than the next one needs. */
  hasGrown(): boolean;
}

/** Longer than loading the engine takes on an overloaded machine. */
const START_LIMIT_MS = 60_000;

/** Resolves once the engine is loaded; rejects with `EngineThreadError` if it cannot be. */
export async function startEngineThread({
  entry,
  limits,
  takesOverChunks,
  log,
}: EngineThreadOptions): Promise<EngineThread> {
  const vitals = new Int32Array(new SharedArrayBuffer(4 * Object.keys(VITALS).length));
  const workerData: ThreadData = { vitals, tickIntervalMs: tickIntervalOf(limits) };
  const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb } = limits;
  /**
   * The process's own folder of compiled code. The configured folder contains one for each version of Node.
   */
  const compileCache = getCompileCacheDir();
  const worker = new Worker(entry, {
    name: 'splitting engine',
    workerData,
    // The engine reads no other variables, and must not find secrets there.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb },
  });
  const children = createChildGroups();
  const ready = Promise.withResolvers<void>();
  const died = Promise.withResolvers<never>();
  died.promise.catch(() => undefined);
  let ending: EngineThreadError | undefined;
  let uncaught: unknown;
  let exitLimit: NodeJS.Timeout | undefined;
  let isFit = true;
  let firstHeapKib: number | undefined;
  let hasGrown = false;

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'ready') ready.resolve();
    else children.note(message);
  });
  worker.once('error', (error) => {
    uncaught = error;
  });
  // Emitted after all messages of the thread.
  worker.once('exit', (exitCode) => {
    isFit = false;
    clearTimeout(exitLimit);
    children.killAll();
    died.reject(ending ?? causeOfDeath(uncaught, exitCode));
  });

  function end(error: EngineThreadError): void {
    ending ??= error;
    isFit = false;
    children.killAll();
    void worker.terminate();
    exitLimit ??= setTimeout(() => died.reject(ending), limits.exitGraceMs).unref();
  }

  async function split(options: SplitOptions): Promise<SplitResult> {
    options.signal.throwIfAborted();
    const channel = new MessageChannel();
    await using session = openSplitSession(channel.port1, options, takesOverChunks);
    const endOfSplit = (error: EngineThreadError): void =>
      end(
        new EngineThreadError(
          error.end,
          `${error.message}; ${session.describe()}, ${children.count()} children`,
        ),
      );
    using _traced = traceChildren(children);
    using _watch = watchVitals(vitals, limits, endOfSplit);
    using _grace = afterAbort(options.signal, limits.abortGraceMs, () =>
      endOfSplit(new EngineThreadError('hung', `an aborted split went on for ${limits.abortGraceMs} ms`)),
    );
    const { source, reopenSource, sourceRanges, reserve, scratchRoom, signal, ...others } = options;
    const { onHunger: _onHunger, onProgress: _onProgress, onSegment: _onSegment, ...rest } = others;
    const request: SplitRequest = {
      ...rest,
      sourceFile: 'path' in source ? source : undefined,
      canReopenSource: reopenSource !== undefined,
      rangedSizeBytes: sourceRanges?.sizeBytes,
      canReserve: reserve !== undefined,
      scratchShareBytes: scratchRoom?.shareBytes,
    };
    try {
      const start: ToThread = { kind: 'split', request, port: channel.port2 };
      worker.postMessage(start, [channel.port2]);
      return await Promise.race([session.outcome, died.promise]);
    } catch (error) {
      if (error instanceof EngineThreadError) {
        log.error({ err: error, end: error.end }, 'an engine thread died');
        await clearScratch(options.scratchDir, session.handedOut);
      } else if (!signal.aborted && !(error instanceof MediaError) && !session.isOwnError(error)) {
        isFit = false;
      }
      throw signal.aborted && !isAttack(error) ? signal.reason : error;
    } finally {
      lookForGrowth();
    }
  }

  /**
   * Uses the values that the thread has shown last, at the end of its split: a request now might not be
   * answered.
   */
  function lookForGrowth(): void {
    const heapKib = Atomics.load(vitals, VITALS.heapKib);
    const bufferKib = Atomics.load(vitals, VITALS.bufferKib);
    firstHeapKib ??= heapKib;
    // Chunks that have been read are collected late, so buffers may use half of their limit.
    hasGrown =
      heapKib - firstHeapKib > limits.maxHeapGrowthMb * 1024 || bufferKib > (limits.maxBufferMb / 2) * 1024;
  }

  const startLimit = setTimeout(() => {
    end(new EngineThreadError('start', `the engine was not loaded within ${START_LIMIT_MS} ms`));
  }, START_LIMIT_MS);
  try {
    await Promise.race([ready.promise, died.promise]);
  } catch (error) {
    throw new EngineThreadError('start', 'the engine thread cannot be started', { cause: error });
  } finally {
    clearTimeout(startLimit);
  }
  return {
    split,
    isFit: () => isFit,
    hasGrown: () => hasGrown,
    async [Symbol.asyncDispose]() {
      end(new EngineThreadError('closed', 'the engine thread was closed'));
      await died.promise.catch(() => undefined);
    },
  };
}

function causeOfDeath(uncaught: unknown, exitCode: number): EngineThreadError {
  const code = uncaught instanceof Error && 'code' in uncaught ? uncaught.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new EngineThreadError('out-of-memory', 'the engine used up its heap', { cause: uncaught });
  if (uncaught !== undefined)
    return new EngineThreadError('crashed', 'an error was not caught in the engine', { cause: uncaught });
  return new EngineThreadError('crashed', `the engine thread left with exit code ${exitCode}`);
}

function afterAbort(signal: AbortSignal, ms: number, act: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(act, ms);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}

/** Removes the files that a dead engine could not remove itself. */
async function clearScratch(scratchDir: string, handedOut: ReadonlySet<string>): Promise<void> {
  const names = await readdir(scratchDir).catch(() => []);
  const left = names.map((name) => join(scratchDir, name)).filter((path) => !handedOut.has(path));
  await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })));
}
