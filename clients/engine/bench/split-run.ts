/** One split of a file, as the service does it, and what is wrong with its outcome. */
import { open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Cut, PlannedCut } from '../src/cuts/cut.ts';
import type { OutputFormat } from '../src/formats/formats.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from '../src/media.ts';
import { findSandbox } from '../src/sandbox/find-sandbox.ts';
import { splitAudio } from '../src/split-audio.ts';

export interface SplitRequest {
  readonly sourcePath: string;
  /** A private, empty folder. */
  readonly outputDir: string;
  readonly cut: Cut | PlannedCut;
  readonly outputFormat?: OutputFormat;
  readonly ffmpegPath: string;
  /** As the engine takes it. */
  readonly audioMd5?: boolean;
  /** Hands the source out evenly over this time, as a download would; absent: the engine reads the file itself. */
  readonly downloadSeconds?: number;
}

export interface SplitOutcome {
  readonly seconds: number;
  readonly result: SplitResult;
  readonly segments: readonly FinishedSegment[];
}

/** Small enough for an even pace. */
const PIECE_BYTES = 16 * 1024;

export async function runSplit(request: SplitRequest): Promise<SplitOutcome> {
  const { sourcePath, outputDir, cut, outputFormat, ffmpegPath, audioMd5, downloadSeconds } = request;
  const sourceSizeBytes = (await stat(sourcePath)).size;
  const segments: FinishedSegment[] = [];
  const start = performance.now();
  const result = await splitAudio({
    ...sourceOf(sourcePath, sourceSizeBytes, downloadSeconds),
    cut,
    ...(outputFormat === undefined ? {} : { outputFormat }),
    ...(audioMd5 === undefined ? {} : { audioMd5 }),
    scratchDir: outputDir,
    ffmpegPath,
    sandbox: await findSandbox(ffmpegPath),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onSegment: async (segment) => {
      segments.push(segment);
    },
  });
  const seconds = (performance.now() - start) / 1000;
  return { seconds, result, segments };
}

function sourceOf(
  path: string,
  sizeBytes: number,
  downloadSeconds: number | undefined,
): Pick<SplitOptions, 'source' | 'sourceSizeBytes'> {
  if (downloadSeconds === undefined) return { source: { path, sizeBytes } };
  return { source: readSource(path, sizeBytes, downloadSeconds), sourceSizeBytes: sizeBytes };
}

async function* readSource(
  path: string,
  sizeBytes: number,
  downloadSeconds: number,
): AsyncGenerator<Uint8Array> {
  await using file = await open(path);
  const start = performance.now();
  const readNext = (): Promise<Uint8Array> => {
    const reading = file
      .read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES)
      .then(({ bytesRead, buffer }) => buffer.subarray(0, bytesRead));
    // Marked as handled: a split that gives up never asks for it.
    reading.catch(() => undefined);
    return reading;
  };
  let taken = 0;
  // One piece ahead, like any stream: it comes in while the one before is worked on.
  for (let reading = readNext(); ; ) {
    const piece = await reading;
    if (piece.length === 0) return;
    reading = readNext();
    taken += piece.length;
    const dueMs = start + (taken / sizeBytes) * downloadSeconds * 1000;
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 1) await setTimeout(earlyMs);
    yield piece;
  }
}

/** What makes the outcome unusable, whatever its speed; empty where nothing does. */
export async function findFaults(
  { result, segments }: SplitOutcome,
  cut: Cut | PlannedCut,
  expectedSamples: number | undefined,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let nextSample = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment.index !== index) faults.push(`segment ${index} calls itself ${segment.index}`);
    if (segment.startSample !== nextSample)
      faults.push(`segment ${index} begins at ${segment.startSample} instead of ${nextSample}`);
    nextSample = segment.startSample + segment.sampleCount;
    const { size } = await stat(segment.path);
    if (size !== segment.sizeBytes)
      faults.push(`segment ${index} has ${size} bytes, not ${segment.sizeBytes}`);
    if (cut.mode === 'fileSize' && size > cut.maxFileSizeBytes)
      faults.push(`segment ${index} has ${size} bytes, above the limit`);
  }
  if (segments.length !== result.segmentCount)
    faults.push(`${segments.length} segments were handed out, ${result.segmentCount} counted`);
  // Segments are counted at their own rate, which a request may choose.
  const rateHz = segments[0]?.sampleRateHz ?? result.sourceSampleRateHz;
  const expected = expectedSamples && Math.round((expectedSamples * rateHz) / result.sourceSampleRateHz);
  if (expected !== undefined && nextSample !== expected)
    faults.push(`${nextSample} samples of ${expected} were handed out`);
  return faults;
}
