/**
 * Receives a source and settles its length.
 *
 * Where the container can be decoded from its first byte on, that runs while the source still comes in: when the
 * last byte is there the count is too, and a source beyond its allowance is given up as soon as it passes it, not
 * after all of it was fetched. The others (an index at the end) are counted once they lie on disk.
 */
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { SourceContainer } from '../sniff.ts';
import { countSource, type ProbedSource, settleLength } from './probe.ts';
import type { SourceFile, SourceSpool } from './source-file.ts';

export interface IncomingSource {
  readonly container: SourceContainer;
  /** What is still to come; it passes through the spool. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether `bytes` begins with the source's first one. */
  readonly isUntouched: boolean;
  readonly spool: SourceSpool;
}

export interface ReceivedSource {
  readonly source: SourceFile;
  readonly probed: ProbedSource;
}

const COUNTED_ON_ARRIVAL: ReadonlySet<SourceContainer> = new Set([
  'mp3',
  'wav',
  'flac',
  'ogg',
  'adts',
  'matroska',
]);

/** Throws QUOTA_EXCEEDED above `maxDurationMs`, UNSUPPORTED_MEDIA where there is no audio. */
export async function receiveSource(
  runtime: FfmpegRuntime,
  incoming: IncomingSource,
  maxDurationMs: number | undefined,
): Promise<ReceivedSource> {
  const { container, bytes, isUntouched, spool } = incoming;
  if (isUntouched && COUNTED_ON_ARRIVAL.has(container)) {
    const counted = await countSource(runtime, { container, bytes }, maxDurationMs);
    const source = await spool.finish(container);
    return { source, probed: await settleLength(counted, source, maxDurationMs) };
  }
  for await (const _ of bytes);
  const source = await spool.finish(container);
  const counted = await countSource(runtime, source, maxDurationMs);
  return { source, probed: await settleLength(counted, source, maxDurationMs) };
}
