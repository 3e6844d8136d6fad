/**
 * How a source reaches its decoder: while it arrives if its container can be decoded from the first byte on,
 * otherwise from a file, once it is complete.
 */
import { readsFromFile } from '../../ffmpeg/argv.ts';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { SniffedSource } from '../../sniff/sniff.ts';
import type { LocalFile } from '../../source/local-file.ts';
import { leadingIndexEnd } from '../trim/movie-index.ts';
import { probeSource } from './probe.ts';
import type { ProbedSource } from './probed-source.ts';
import { bytesOfFile, type SourceBytes } from './source-bytes.ts';
import type { SourceFile, SourceSpool } from './source-file.ts';
import { createStreamingSource, type StreamingSource } from './streaming-source.ts';

export interface IncomingSource {
  readonly sniffed: SniffedSource;
  /** The bytes still to come; they pass through the spool. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether `bytes` begins with the source's first byte. */
  readonly isUntouched: boolean;
  readonly spool: SourceSpool;
  /** If it is known beforehand. */
  readonly sizeBytes: number | undefined;
  /** If the whole source is on this machine. */
  readonly file?: LocalFile | undefined;
  /** If it was probed before. */
  readonly known?: ProbeOutcome;
}

interface ProbeOutcome {
  readonly probed: ProbedSource;
  /** For what the probe does not read. */
  readonly bytes: SourceBytes;
}

export interface ReceivedSource extends ProbeOutcome {
  readonly source: SourceFile | StreamingSource;
}

/**
 * Receives as much as the probe needs. The spool continues to store arriving bytes until it is released.
 * Throws UNSUPPORTED_MEDIA if there is no audio.
 */
export async function receiveSource(
  runtime: FfmpegRuntime,
  { sniffed, bytes, isUntouched, spool, sizeBytes, known }: IncomingSource,
  onReceived: (receivedBytes: number) => void,
): Promise<ReceivedSource> {
  const streaming = createStreamingSource(sniffed.container, bytes, sizeBytes);
  if (isUntouched && (await isDecodableAsStream(sniffed, streaming))) {
    if (known !== undefined) return { source: streaming, ...known };
    try {
      return { source: streaming, probed: await probeSource(runtime, streaming), bytes: streaming };
    } catch (error) {
      // Audio may begin late, after more bytes than memory may hold.
      if (!streaming.isBeginningExhausted) throw error;
    }
  }
  for await (const _ of streaming.whole()) onReceived(spool.sizeBytes);
  const source = await spool.finish(sniffed.container);
  if (known !== undefined) return { source, ...known };
  return { source, probed: await probeSource(runtime, source), bytes: bytesOfFile(source) };
}

async function isDecodableAsStream(
  { container, codec, hasPictures }: SniffedSource,
  streaming: StreamingSource,
): Promise<boolean> {
  if (container !== 'mp4') return !readsFromFile(container);
  // In a file with pictures the audio may be in another place, and unordered.
  if (codec === undefined || hasPictures === true) return false;
  return receiveLeadingIndex(streaming);
}

const LEADING_BOXES_BYTES = 4_096;

/** Whether the index precedes the media, which can then be read in one pass. The index is in memory then. */
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
