/**
 * How a source comes to its decoder: as it arrives where its container can be decoded from the first byte on, else
 * from a file, once all of it is there.
 */
import { readsFromFile } from '../../ffmpeg/argv.ts';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { SniffedSource } from '../../sniff/sniff.ts';
import type { LocalFile } from '../../source/local-file.ts';
import { leadingIndexEnd } from '../trim/movie-index.ts';
import { probeSource } from './probe.ts';
import type { ProbedSource } from './probed-source.ts';
import type { SourceFile, SourceSpool } from './source-file.ts';
import { createStreamingSource, type StreamingSource } from './streaming-source.ts';

export interface IncomingSource {
  readonly sniffed: SniffedSource;
  /** What is still to come; it passes through the spool. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether `bytes` begins with the source's first one. */
  readonly isUntouched: boolean;
  readonly spool: SourceSpool;
  /** Where it is known beforehand. */
  readonly sizeBytes: number | undefined;
  /** Where all of it lies on this machine. */
  readonly file?: LocalFile | undefined;
}

export interface ReceivedSource {
  readonly source: SourceFile | StreamingSource;
  readonly probed: ProbedSource;
}

/**
 * Receives as much as the probe needs. The spool goes on to keep what arrives until it is released. Throws
 * UNSUPPORTED_MEDIA where there is no audio.
 */
export async function receiveSource(
  runtime: FfmpegRuntime,
  { sniffed, bytes, isUntouched, spool, sizeBytes }: IncomingSource,
  onReceived: (receivedBytes: number) => void,
): Promise<ReceivedSource> {
  const streaming = createStreamingSource(sniffed.container, bytes, sizeBytes);
  if (isUntouched && (await isDecodableAsStream(sniffed, streaming))) {
    try {
      return { source: streaming, probed: await probeSource(runtime, streaming) };
    } catch (error) {
      // Audio may begin late, behind more than is held in memory.
      if (!streaming.isBeginningExhausted) throw error;
    }
  }
  for await (const _ of streaming.whole()) onReceived(spool.sizeBytes);
  const source = await spool.finish(sniffed.container);
  return { source, probed: await probeSource(runtime, source) };
}

async function isDecodableAsStream(
  { container, codec, hasPictures }: SniffedSource,
  streaming: StreamingSource,
): Promise<boolean> {
  if (container !== 'mp4') return !readsFromFile(container);
  // With pictures the sound may lie apart, and not in order.
  if (codec === undefined || hasPictures === true) return false;
  return receiveLeadingIndex(streaming);
}

const LEADING_BOXES_BYTES = 4_096;

/** Whether the index stands in front of the media, which can then be read in one go. It is in memory then. */
async function receiveLeadingIndex(streaming: StreamingSource): Promise<boolean> {
  let receivedBytes = 0;
  let indexEnd: number | undefined;
  for await (const chunk of streaming.beginning()) {
    receivedBytes += chunk.length;
    if (indexEnd === undefined) {
      indexEnd = leadingIndexEnd(await streaming.head(0, LEADING_BOXES_BYTES));
      if (indexEnd === undefined && receivedBytes >= LEADING_BOXES_BYTES) return false;
    }
    if (indexEnd !== undefined && receivedBytes >= indexEnd) return true;
  }
  return false;
}
