/** An ffmpeg process that reads a source, from a file or from a stream. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createCleanupStack } from '../../cleanup-stack.ts';
import { readsFromFile } from '../../ffmpeg/argv.ts';
import { type FfmpegProcess, type FfmpegRun, type FfmpegRuntime, startFfmpeg } from '../../ffmpeg/run.ts';
import { writeChunk } from '../../ffmpeg/write-chunk.ts';
import type { SourceContainer } from '../../formats/formats.ts';
import { decodeCpuSeconds } from '../../sandbox/limits.ts';
import type { SourceFile } from './source-file.ts';

/** A decoder waits while segments are handed out, so its wall limit is only a last resort. */
const WALL_LIMIT_MS = 12 * 60 * 60 * 1000;

/** A source that is fed to ffmpeg, from its first byte on. */
export interface FedSource {
  readonly container: SourceContainer;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** If it is known beforehand. */
  readonly sizeBytes: number | undefined;
}

interface StartOptions extends Pick<FfmpegRun, 'stderrHeadBytes'> {
  /** For the name of the file in the working folder; undefined: stdin. */
  readonly argsFor: (sourceName: string | undefined) => readonly string[];
  /** Feeding ends with the child. Otherwise the rest is still read and stored. */
  readonly feedEndsWithChild?: boolean;
  /** Called at once: when a child process exits, Node drops output that has no reader yet. */
  readonly readSideOutput?: ((stream: Readable) => void) | undefined;
}

interface SourceProcess extends AsyncDisposable {
  readonly child: FfmpegProcess;
  /**
   * Resolves when the child has read everything and exited with 0. Rejects with the error of the source if
   * the source failed.
   */
  finish(): Promise<void>;
}

export async function startOnSource(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  { argsFor, feedEndsWithChild = false, readSideOutput, ...kept }: StartOptions,
): Promise<SourceProcess> {
  const fromFile = !('bytes' in source) && readsFromFile(source.container);
  // The file itself becomes the child's stdin: no byte of it passes through this process.
  await using started = createCleanupStack();
  const file = 'bytes' in source || fromFile ? undefined : started.use(await open(source.path, 'r'));
  const child = startFfmpeg(runtime, {
    args: argsFor(fromFile ? source.name : undefined),
    limits: { cpuSeconds: decodeCpuSeconds(source.sizeBytes), fileSizeBytes: 0 },
    wallLimitMs: WALL_LIMIT_MS,
    reads: fromFile ? source.name : undefined,
    ...kept,
    stdin: file?.fd ?? (fromFile ? 'ignore' : 'pipe'),
  });
  started.use(child);
  readSideOutput?.(child.sideOutput);
  const fed = 'bytes' in source ? feed(child, source.bytes, feedEndsWithChild) : Promise.resolve();
  let hasSourceFailed = false;
  fed.catch(() => {
    hasSourceFailed = true;
  });
  // Closed at the end: while this function awaits it, the child's output on stdout would have no reader
  // either.
  const owned = started.move();
  return {
    child,
    /** If the source broke off, the child's message is useless; if it failed, the child is not awaited. */
    async finish() {
      if (!hasSourceFailed) await child.finished;
      await fed;
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/**
 * Passes all bytes to the child as they arrive. If the child needs no more, the rest is still read and
 * stored, unless feeding `endsWithChild`. Rejects with the error of the source.
 */
async function feed(
  child: FfmpegProcess,
  bytes: AsyncIterable<Uint8Array>,
  endsWithChild: boolean,
): Promise<void> {
  const { stdin } = child;
  if (stdin === null) throw new Error('ffmpeg has no stdin');
  const chunks = endsWithChild ? untilSettled(bytes, child.finished) : bytes;
  try {
    for await (const chunk of chunks) {
      if (stdin.writable) await writeChunk(stdin, chunk);
      // A file on disk is read much faster than a child exits.
      else if (endsWithChild) break;
    }
  } finally {
    stdin.end();
  }
}

/** The same chunks, abandoned as soon as `settled` settles, even while waiting for one. */
async function* untilSettled(
  bytes: AsyncIterable<Uint8Array>,
  settled: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  const end = settled.then(
    () => undefined,
    () => undefined,
  );
  for (;;) {
    const next = await Promise.race([chunks.next(), end]);
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}
