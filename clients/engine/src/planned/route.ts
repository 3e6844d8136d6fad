/** The beginning of a plan: how its pieces are made, and how long the source is. */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { ConvertOptions } from '../convert/conversion.ts';
import { countSamples } from '../convert/input/probe.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import type { SourceFile } from '../convert/input/source-file.ts';
import { areSamplesRaw } from '../convert/samples/raw-samples.ts';
import { CopyNotPossibleError, type CopySplitter } from '../copy/copy-splitter.ts';
import { copyRoute } from '../copy-route.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { OutputFormat } from '../formats/formats.ts';
import { MediaError } from '../media-error.ts';
import { claimedLength, type SourceLength } from './claimed-length.ts';
import { measureLength } from './copy-passes.ts';
import { type EncodedShape, type EncodedSizes, encodedShape, sizesOf } from './encoded-shape.ts';
import type { PlannedSource } from './planned-source.ts';
import { type SourceProbe, WALKED_CONTAINERS } from './source-probe.ts';
import { unreadLength } from './unread-length.ts';

export interface CopiedRoute {
  readonly kind: 'copy';
  readonly splitter: CopySplitter;
  /** The same without checking the audio, for sizes. */
  readonly measuring: CopySplitter;
  readonly isCutBetweenPackets: boolean;
  readonly outputFormat: OutputFormat;
  readonly length: SourceLength;
  /** The length is claimed by the source, or estimated, and must be verified. */
  readonly isLengthClaimed: boolean;
}

export interface EncodedRoute {
  readonly kind: 'encode';
  readonly probed: ProbedSource;
  readonly shape: EncodedShape;
  readonly sizes: EncodedSizes;
  readonly outputFormat: OutputFormat;
  readonly length: SourceLength;
  /** The length is that of the existing frames; decoding may give another. */
  readonly isLengthClaimed: boolean;
  /** A file with holes is filled only where the pieces lie. */
  readonly isReadInParts: boolean;
}

export type Route = CopiedRoute | EncodedRoute;

export type EncodedOutput = Pick<ConvertOptions, 'outputFormat' | 'encoding' | 'preset' | 'gainDb'> & {
  /** For copied flac. */
  readonly audioMd5: boolean;
};

export interface RouteOptions {
  readonly runtime: FfmpegRuntime;
  readonly source: PlannedSource;
  readonly probe: SourceProbe;
  readonly output: EncodedOutput;
  readonly request: CutRequest;
}

/** `mayClaim`: the length need not be certain. Throws UNSUPPORTED_MEDIA, ENCODING_UNSUPPORTED. */
export async function findRoute(options: RouteOptions, mayClaim: boolean): Promise<Route> {
  const { runtime, source, output, request } = options;
  const { outputFormat, encoding, preset, audioMd5 } = output;
  if (encoding !== undefined || preset !== undefined) return await encodedRoute(options, mayClaim);
  const wanted = outputFormat === undefined ? {} : { outputFormat };
  const copied = copyRoute(source.sniffed, { ...wanted, audioMd5 });
  const measuring = copyRoute(source.sniffed, wanted);
  if (copied === undefined || measuring === undefined) return await encodedRoute(options, mayClaim);
  const claimed = mayClaim
    ? await claimOf(source, isMeasured(request, copied.isCutBetweenPackets), runtime.signal)
    : undefined;
  try {
    const length =
      claimed ?? (await measureLength({ splitter: measuring.splitter, file: source.file, runtime }));
    const isLengthClaimed = claimed !== undefined;
    return { kind: 'copy', ...copied, measuring: measuring.splitter, length, isLengthClaimed };
  } catch (error) {
    if (!(error instanceof CopyNotPossibleError)) throw error;
    return await encodedRoute(options, mayClaim);
  }
}

async function claimOf(
  source: PlannedSource,
  isMeasured: boolean,
  signal: AbortSignal,
): Promise<SourceLength | undefined> {
  if (source.isWalked === true) return await unreadLength(source, signal);
  return isMeasured ? undefined : await claimedLength(source, signal);
}

/**
 * Whether segments are measured before they are made. In that case no claim is used: with a wrong length the
 * measurement would be wasted.
 */
function isMeasured({ maxFileSize, maxDuration }: CutRequest, isCutBetweenPackets: boolean): boolean {
  return maxFileSize !== undefined || (maxDuration !== undefined && isCutBetweenPackets);
}

export async function encodedRoute(
  { runtime, source, probe, output, request }: RouteOptions,
  mayClaim: boolean,
): Promise<EncodedRoute> {
  const { file, complete, isWalked } = source;
  if (isWalked === true) await complete?.();
  const probed = await probe();
  const shape = encodedShape(output, file, probed);
  const sizes = await sizesOf(shape, file, probed, request);
  const { outputFormat } = shape.encoding;
  const walked =
    mayClaim && isEncodedOnce(request) ? await walkedSamples(runtime, source, probed) : undefined;
  if (walked === undefined) await complete?.();
  // A header may claim any length, so the plan uses the result of a walk or of decoding.
  const sampleCount = walked ?? (await countSamples(runtime, file, probed, undefined));
  const length = { sampleCount, sampleRateHz: probed.sampleRateHz };
  const isLengthClaimed = walked !== undefined;
  const isReadInParts = walked !== undefined && canReadInParts(file, probed, shape);
  return { kind: 'encode', probed, shape, sizes, outputFormat, length, isLengthClaimed, isReadInParts };
}

/** Whether encoders get the samples of the source's own rate: by pieces, or as plain samples. */
function canReadInParts(file: SourceFile, probed: ProbedSource, { pcm }: EncodedShape): boolean {
  if (file.absent === undefined || pcm.sampleRateHz !== probed.sampleRateHz) return false;
  return file.container !== 'wav' || areSamplesRaw(probed, pcm, file.sizeBytes);
}

async function walkedSamples(
  runtime: FfmpegRuntime,
  { sniffed, file }: PlannedSource,
  { sampleRateHz }: ProbedSource,
): Promise<number | undefined> {
  const walker = WALKED_CONTAINERS.has(file.container) ? copyRoute(sniffed, {}) : undefined;
  if (walker === undefined) return undefined;
  try {
    const length = await measureLength({ splitter: walker.splitter, file, runtime });
    return length.sampleRateHz === sampleRateHz ? length.sampleCount : undefined;
  } catch (error) {
    if (error instanceof CopyNotPossibleError || error instanceof MediaError) return undefined;
    throw error;
  }
}

/** Whether only the pieces depend on the length, and encoding them shows what it was. */
function isEncodedOnce({ dryRun, maxFileSize, encoding }: CutRequest): boolean {
  return dryRun !== true && maxFileSize === undefined && encoding?.loudness === undefined;
}
