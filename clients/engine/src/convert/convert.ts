/**
 * The convert route: decodes the source once, cuts the samples and encodes every segment on its own.
 *
 * The source is decoded while it arrives, and several segments are encoded at once while it is decoded. No
 * step needs to know the end beforehand: a boundary is fixed once a tenth of a second is known to follow it
 * (`plan.ts`), and the padding of the last block is found in the samples that are held back
 * (`audible-samples.ts`). A source that may turn out to be longer than allowed, or to give too much output,
 * is counted first, at the cost of a second decode, so that it fails before anything is encoded. That is the
 * case if its header claims too much, or if there is an allowance and no header states the length. Counting
 * ends as soon as it exceeds the allowance; an accepted source is then read from disk.
 *
 * For formats whose size is known beforehand (wav, and mp3 at a constant bitrate) a byte ceiling becomes a
 * fixed number of samples, so both modes share one path (`encode-segments.ts`). For other formats with a
 * ceiling, all samples are encoded as one stream that is cut afterwards (`repack.ts`).
 *
 * It can begin at segment `resumeAt`, for sources whose first segments were handed out by copying.
 */
import type { Borders } from '../cuts/cut-rule.ts';
import { planSegments } from '../cuts/plan.ts';
import { chooseEncoding } from '../formats/chosen-encoding.ts';
import { type Encoding, workingShape } from '../formats/encoding.ts';
import type { OutputFormat, PcmShape } from '../formats/formats.ts';
import { MediaError } from '../media-error.ts';
import { outputGrowth } from '../output/output-growth.ts';
import type { Conversion, ConvertOptions } from './conversion.ts';
import { CONVERTING_END, createConvertProgress, RECEIVING_END } from './convert-progress.ts';
import { encodePieces, piecesFor } from './encode/encode-pieces.ts';
import { encodeSegments } from './encode/encode-segments.ts';
import { countSamples } from './input/probe.ts';
import type { ProbedSource } from './input/probed-source.ts';
import { type ReceivedSource, receiveSource } from './input/receive.ts';
import type { SourceFile } from './input/source-file.ts';
import type { StreamingSource } from './input/streaming-source.ts';
import { type AudibleSamples, decodeAudible, samplesAt } from './samples/audible-samples.ts';
import { readRawFile, type SampleSpan } from './samples/raw-file.ts';
import { readRawSamples } from './samples/raw-samples.ts';
import { sampleFilters } from './samples/sample-filters.ts';
import { frameBytes } from './samples/wav-header.ts';
import { segmentBorders } from './segment-borders.ts';
import { readCover } from './tags/cover.ts';
import { canHoldCover } from './tags/embed-cover.ts';
import { repackSegments } from './tags/repack.ts';
import { MAX_LEAD_IN_SAMPLES } from './trim/m4a-duration.ts';

export interface ConvertResult {
  readonly outputFormat: OutputFormat;
  readonly segmentCount: number;
  readonly sourceSampleCount: number;
  readonly sourceSampleRateHz: number;
}

/**
 * Splits a source by decoding and encoding it. Throws `MediaError` if the source or the cut is at fault;
 * other errors are faults of the engine. All children have ended when it settles.
 */
export async function convertSource(options: ConvertOptions): Promise<ConvertResult> {
  try {
    return await convert(options);
  } catch (error) {
    // Ends everything that still waits for the source.
    options.stop(error);
    throw error;
  }
}

async function convert(options: ConvertOptions): Promise<ConvertResult> {
  const { runtime, incoming, maxSourceDurationMs } = options;
  const { sizeBytes: sourceSizeBytes, spool } = incoming;
  const reportReceived = options.progress.span(0, RECEIVING_END);
  const received = await receiveSource(runtime, incoming, (bytes) => reportReceived(bytes, sourceSizeBytes));
  const { probed, bytes } = received;
  const { encoding, isAdjusted } = chooseEncoding(received.source.container, probed, options);
  const pcm = workingShape(encoding, probed);
  const filters = sampleFilters({ gainDb: options.gainDb, isAdjusted }, probed, pcm);
  const cover = canHoldCover(encoding.name) ? await readCover(bytes, options.cut.maxTagBytes) : undefined;
  const start = startOf(options, pcm);
  const shape = { options, probed, encoding, cover, pcm, start };
  const borders = segmentBorders(shape);
  const growth = outputGrowth(shape, borders);
  const counted =
    isBetterCounted(shape, borders) || growth.isTooLong(claimedLength(probed, pcm))
      ? await countFirst(shape, borders, received.source)
      : undefined;
  const source = counted?.source ?? received.source;
  const isStreaming = isStreamingSource(source);
  if (isStreaming) spool.release();
  const expectedSamples =
    counted?.totalSamples ?? (probed.claimedSamples && samplesAt(probed.claimedSamples, probed, pcm));
  if (counted !== undefined) await options.reserve?.(msOf(counted.totalSamples, pcm));
  else if (expectedSamples !== undefined) {
    // A header is trusted no further than the source's size allows.
    const mostMs = mostMsOf(incoming.file?.sizeBytes ?? sourceSizeBytes);
    if (mostMs !== undefined) await options.reserve?.(Math.min(mostMs, msOf(expectedSamples, pcm)));
  }
  if (counted !== undefined) growth.check(counted.totalSamples);
  let countDecoded: (() => number) | undefined;
  function guessTotal(): number | undefined {
    if (expectedSamples !== undefined) return expectedSamples;
    if (probed.claimedSeconds !== undefined) return probed.claimedSeconds * pcm.sampleRateHz;
    return isStreaming && sourceSizeBytes !== undefined && countDecoded !== undefined
      ? (countDecoded() * sourceSizeBytes) / spool.sizeBytes
      : undefined;
  }
  const report = options.progress.span(isStreaming ? 0 : RECEIVING_END, CONVERTING_END);
  const progress = createConvertProgress(report, guessTotal);
  const workingSet = await growth.begin(counted?.totalSamples ?? claimedLength(probed, pcm));
  const whole: Conversion = { ...shape, expectedSamples, progress, workingSet };
  const result = { outputFormat: encoding.outputFormat, sourceSampleRateHz: probed.sampleRateHz };

  // Pieces and raw samples do not pass through the filters.
  const isPlain = filters.length === 0;
  const pieces = isPlain ? piecesFor(shape) : undefined;
  const outcome = pieces && (await encodePieces(whole, pieces, growth.reaches));
  if (outcome?.kind === 'done') {
    const { segmentCount, sourceSampleCount } = outcome;
    return { ...result, segmentCount, sourceSampleCount };
  }

  const input = isStreaming ? source.fed(source.whole()) : source;
  const file = isStreaming ? incoming.file : source;
  const span = file && borders && wantedSpan(options, encoding, pcm);
  const raw = isPlain ? rawSamples() : undefined;
  const begin = raw && span;
  const conversion = {
    ...whole,
    start: outcome?.resumeAt ?? begin?.start ?? start,
    leadInSamples: begin?.leadInSamples ?? 0,
  };
  await using decoded =
    raw ??
    (await decodeAudible(runtime, input, { probed, pcm, filters, maxDurationMs: maxSourceDurationMs }));
  countDecoded = decoded.decodedSampleCount;
  const all = followed(decoded.pcm, frameBytes(pcm), growth.reaches);
  const samples = {
    chunks: begin ? all : samplesFrom(all, conversion.start.startSample * frameBytes(pcm)),
    free: decoded.free,
  };
  const segmentCount =
    borders === undefined
      ? await repackSegments(conversion, samples)
      : await encodeSegments(conversion, borders, samples);
  return { ...result, segmentCount, sourceSampleCount: decoded.sourceSampleCount() };

  function rawSamples(): AudibleSamples | undefined {
    const maxDurationMs = maxSourceDurationMs;
    if (file !== undefined) return readRawFile(file, probed, pcm, { span: span ?? WHOLE, maxDurationMs });
    if (!('bytes' in input)) return undefined;
    return readRawSamples(input.bytes, probed, pcm, { sizeBytes: input.sizeBytes, maxDurationMs });
  }
}

const WHOLE: SampleSpan = { from: 0, to: Number.POSITIVE_INFINITY };

/** From the first wanted segment to the last; m4a segments begin before it. */
function wantedSpan(
  { cut: { choice, endSample }, resumeAt }: ConvertOptions,
  { name }: Encoding,
  { sampleRateHz }: PcmShape,
): (SampleSpan & Pick<Conversion, 'start' | 'leadInSamples'>) | undefined {
  if (choice === undefined || resumeAt !== undefined) return undefined;
  let index = 0;
  while (index < choice.lastIndex && !choice.isWanted(index)) index += 1;
  const startSample = index === 0 ? 0 : endSample(sampleRateHz, index - 1);
  const leadInSamples = name === 'm4a' ? Math.min(MAX_LEAD_IN_SAMPLES, startSample) : 0;
  return {
    start: { index, startSample },
    leadInSamples,
    from: startSample - leadInSamples,
    to: endSample(sampleRateHz, choice.lastIndex),
  };
}

function msOf(samples: number, { sampleRateHz }: PcmShape): number {
  return Math.ceil((samples * 1_000) / sampleRateHz);
}

/** At 32 kbit/s. */
function mostMsOf(sizeBytes: number | undefined): number | undefined {
  return sizeBytes === undefined ? undefined : Math.ceil(sizeBytes / 4);
}

function isStreamingSource(source: SourceFile | StreamingSource): source is StreamingSource {
  return 'whole' in source;
}

function startOf(options: ConvertOptions, pcm: PcmShape): Conversion['start'] {
  const { resumeAt } = options;
  if (resumeAt === undefined) return { index: 0, startSample: 0 };
  const { index, startSample, sampleRateHz } = resumeAt;
  return { index, startSample: Math.round((startSample * pcm.sampleRateHz) / sampleRateHz) };
}

/** The length that a header states, at the rate of `pcm`; it may be any value. */
function claimedLength(probed: ProbedSource, pcm: PcmShape): number | undefined {
  const { claimedSamples, claimedSeconds } = probed;
  if (claimedSamples !== undefined) return samplesAt(claimedSamples, probed, pcm);
  return claimedSeconds && claimedSeconds * pcm.sampleRateHz;
}

/** The same chunks; the next one is requested when `onLength` has resolved. */
async function* followed(
  chunks: AsyncIterable<Buffer>,
  blockBytes: number,
  onLength: (samples: number) => Promise<void> | undefined,
): AsyncGenerator<Buffer> {
  let byteCount = 0;
  for await (const chunk of chunks) {
    byteCount += chunk.length;
    await onLength(byteCount / blockBytes);
    yield chunk;
  }
}

/** ffmpeg rounds the length that it prints. */
const CLAIM_PRECISION_SECONDS = 0.01;

function isBetterCounted(
  { options, probed, encoding }: Pick<Conversion, 'options' | 'probed' | 'encoding'>,
  borders: Borders | undefined,
): boolean {
  const { maxSourceDurationMs } = options;
  const { claimedSeconds, claimedSamples } = probed;
  // The beginning of such a stream depends on its length (`m4a-duration.ts`).
  if (borders === undefined && encoding.name === 'm4a' && claimedSamples === undefined) return true;
  if (claimedSeconds === undefined) return maxSourceDurationMs !== undefined;
  const allowedSeconds =
    maxSourceDurationMs === undefined ? Number.POSITIVE_INFINITY : maxSourceDurationMs / 1000;
  const plannableSeconds =
    borders === undefined ? Number.POSITIVE_INFINITY : borders.maxSourceSamples / borders.sampleRateHz;
  return claimedSeconds + CLAIM_PRECISION_SECONDS > Math.min(allowedSeconds, plannableSeconds);
}

/**
 * Throws QUOTA_EXCEEDED or TOO_MANY_SEGMENTS if the source is too long; otherwise it is now stored on disk.
 */
async function countFirst(
  { options, probed, pcm, start }: Pick<Conversion, 'options' | 'probed' | 'pcm' | 'start'>,
  borders: Borders | undefined,
  source: ReceivedSource['source'],
): Promise<{ readonly source: SourceFile; readonly totalSamples: number }> {
  const { runtime, incoming, maxSourceDurationMs, progress } = options;
  const { spool, sizeBytes } = incoming;
  const report = progress.span(0, RECEIVING_END);
  async function* reported(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      yield chunk;
      report(spool.sizeBytes, sizeBytes);
    }
  }
  const input = isStreamingSource(source) ? source.fed(reported(source.whole())) : source;
  const samples = await countSamples(runtime, input, probed, maxSourceDurationMs);
  const totalSamples = samplesAt(samples, probed, pcm);
  if (borders !== undefined) planSegments(borders, totalSamples, start);
  return {
    source: isStreamingSource(source) ? await spool.finish(source.container) : source,
    totalSamples,
  };
}

/** Decodes and drops the part that needs no encoding. */
async function* samplesFrom(pcm: AsyncIterable<Buffer>, startByte: number): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const chunk of pcm) {
    const wanted = chunk.subarray(Math.max(0, startByte - position));
    position += chunk.length;
    if (wanted.length > 0) yield wanted;
  }
  if (position < startByte) throw new MediaError('INTERNAL_ERROR', 'The splitting engine failed.');
}
