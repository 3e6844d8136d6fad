import { text } from 'node:stream/consumers';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { type AudioStreamInfo, parseAudioStream } from '../ffmpeg/stream-info.ts';
import { MediaError } from '../media.ts';
import { audibleSamples } from './audible-end.ts';
import { type ArrivingSource, noAudio, openDecoder } from './decode.ts';
import type { SourceFile } from './source-file.ts';
import { parseFfmetadata, type Tags } from './tags.ts';

export interface ProbedSource {
  readonly stream: AudioStreamInfo;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly sampleCount: number;
  readonly tags: Tags;
}

export interface CountedSource extends Omit<ProbedSource, 'sampleCount'> {
  /** As decoded: the padding of the last block may be part of it. */
  readonly decodedSamples: number;
}

/**
 * Decodes the source once from end to end and counts: no header is trusted with a length that is billed
 * and cut by. Stops as soon as the count passes `maxDurationMs`, so what it costs is bounded by the
 * allowance. Throws QUOTA_EXCEEDED, or UNSUPPORTED_MEDIA where there is no audio.
 */
export async function countSource(
  runtime: FfmpegRuntime,
  source: SourceFile | ArrivingSource,
  maxDurationMs: number | undefined,
): Promise<CountedSource> {
  await using decoder = await openDecoder(runtime, source, { format: 'u8', withTags: true });
  const { sampleRateHz, channelCount } = decoder;
  const tagText = text(decoder.sideOutput).catch(() => '');
  const allowed = allowedSamples(maxDurationMs, sampleRateHz);
  const decodedSamples = await countSamples(decoder.pcm, channelCount, allowed);
  const stream = parseAudioStream(decoder.stderr());
  if (stream === undefined || decodedSamples === 0) throw noAudio();
  return { stream, sampleRateHz, channelCount, decodedSamples, tags: parseFfmetadata(await tagText) };
}

/** What of the decoded samples is audible, now that all of the source is there. Throws QUOTA_EXCEEDED. */
export async function settleLength(
  { decodedSamples, ...counted }: CountedSource,
  source: SourceFile,
  maxDurationMs: number | undefined,
): Promise<ProbedSource> {
  const { sampleRateHz } = counted;
  const sampleCount = await audibleSamples(source, decodedSamples, sampleRateHz);
  refuseOverQuota(sampleCount, allowedSamples(maxDurationMs, sampleRateHz));
  return { ...counted, sampleCount };
}

/** The number of samples at another rate: resampling decides it, so it is counted and not computed. */
export async function countResampled(
  runtime: FfmpegRuntime,
  source: SourceFile,
  sampleRateHz: number,
): Promise<number> {
  await using decoder = await openDecoder(runtime, source, {
    format: 'u8',
    sampleRateHz,
    channelCount: 1,
    withTags: false,
  });
  return await countSamples(decoder.pcm, 1, Number.POSITIVE_INFINITY);
}

/** More than a block beyond the audible end is over the allowance for certain. */
const END_TOLERANCE_SAMPLES = 8_192;

async function countSamples(
  pcm: AsyncIterable<Buffer>,
  channelCount: number,
  allowed: number,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of pcm) {
    bytes += chunk.length;
    if (bytes > (allowed + END_TOLERANCE_SAMPLES) * channelCount)
      refuseOverQuota(bytes / channelCount, allowed);
  }
  return Math.floor(bytes / channelCount);
}

function allowedSamples(maxDurationMs: number | undefined, sampleRateHz: number): number {
  return maxDurationMs === undefined ? Number.POSITIVE_INFINITY : (maxDurationMs / 1000) * sampleRateHz;
}

function refuseOverQuota(sampleCount: number, allowed: number): void {
  if (sampleCount > allowed) {
    throw new MediaError('QUOTA_EXCEEDED', 'The source is longer than the minutes left in this period.');
  }
}
