/**
 * The loudness of audio by EBU R 128: its integrated loudness and its true peak as measured by ffmpeg's
 * `ebur128` filter (ITU-R BS.1770), and the gain that brings it to a target.
 *
 * The samples to split pass through this process into a separate ffmpeg, so exactly the audio that will be
 * encoded is measured, independent of the beginning and the end of the source. The filter's summary has one
 * decimal. It reports -70 LUFS or less for audio that never passes the absolute gate (EBU Tech 3341 section
 * 2.8), which counts as silence here.
 */
import { once } from 'node:events';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { decodeAudible } from '../convert/samples/audible-samples.ts';
import { frameBytes } from '../convert/samples/wav-header.ts';
import { measureLoudnessArgv } from '../ffmpeg/argv.ts';
import { type FfmpegRuntime, startFfmpeg } from '../ffmpeg/run.ts';
import type { PcmShape, SourceContainer } from '../formats/formats.ts';
import type { Loudness } from '../media.ts';
import { decodeCpuSeconds } from '../sandbox/limits.ts';
import { freeChunk } from '../source/free-chunk.ts';
import type { LocalFile } from '../source/local-file.ts';

export interface MeasuredLoudness {
  /** Undefined if the audio is silent. */
  readonly measuredLufs: number | undefined;
  /** Undefined if all samples are 0. */
  readonly truePeakDbtp: number | undefined;
}

export interface Stretch {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

interface MeasureOptions {
  readonly runtime: FfmpegRuntime;
  readonly file: LocalFile;
  readonly container: SourceContainer;
  readonly probed: ProbedSource;
  /** In the form passed to the encoders, because rate and channels affect the measurement. */
  readonly pcm: PcmShape;
  /**
   * The stretches to split, in any order; overlapping audio counts once for each. Default: the whole source.
   */
  readonly stretches?: readonly Stretch[];
  readonly maxDurationMs?: number;
}

const SILENT_LUFS = -70;
const MAX_TRUE_PEAK_DBTP = -1;
const WALL_LIMIT_MS = 12 * 60 * 60 * 1000;

/** Decodes the source once, from its beginning to the end of the last stretch. */
export async function measureLoudness(options: MeasureOptions): Promise<MeasuredLoudness> {
  const { runtime, file, container, probed, pcm, maxDurationMs } = options;
  const source = { path: file.path, name: file.path, container, sizeBytes: file.sizeBytes };
  const stretches = bytesOf(options.stretches, pcm);
  await using meter = startMeter(runtime, pcm);
  await using decoded = await decodeAudible(runtime, source, { probed, pcm, maxDurationMs });
  const lastByte = Math.max(...stretches.map(({ end }) => end));
  let position = 0;
  for await (const chunk of decoded.pcm) {
    for (const { start, end } of stretches) {
      const from = Math.max(0, start - position);
      const to = Math.min(chunk.length, end - position);
      if (from < to) await meter.push(chunk.subarray(from, to));
    }
    position += chunk.length;
    freeChunk(chunk);
    if (position >= lastByte) break;
  }
  return await meter.finish();
}

interface ByteStretch {
  readonly start: number;
  readonly end: number;
}

function bytesOf(stretches: readonly Stretch[] | undefined, pcm: PcmShape): readonly ByteStretch[] {
  const byteAt = (seconds: number): number => Math.round(seconds * pcm.sampleRateHz) * frameBytes(pcm);
  if (stretches === undefined) return [{ start: 0, end: Number.POSITIVE_INFINITY }];
  return stretches.map(({ fromSeconds, toSeconds }) => ({
    start: byteAt(fromSeconds),
    end: byteAt(toSeconds),
  }));
}

export interface LoudnessMeter extends AsyncDisposable {
  /** Whole samples in the given shape. */
  push(samples: Uint8Array): Promise<void>;
  finish(): Promise<MeasuredLoudness>;
}

/** For samples that pass through in any case. */
export function startMeter(runtime: FfmpegRuntime, pcm: PcmShape): LoudnessMeter {
  const child = startFfmpeg(runtime, {
    args: measureLoudnessArgv(pcm),
    // The amount of audio to come is unknown here.
    limits: { cpuSeconds: decodeCpuSeconds(undefined), fileSizeBytes: 0 },
    wallLimitMs: WALL_LIMIT_MS,
    stdin: 'pipe',
  });
  child.stdout.resume();
  const { stdin } = child;
  let hasSamples = false;
  return {
    async push(samples) {
      hasSamples ||= samples.length > 0;
      if (stdin === null) throw new Error('ffmpeg has no stdin');
      // Samples are copied, because their memory may be reused before they are written.
      const copy = new Uint8Array(samples);
      if (stdin.writable && !stdin.write(copy, () => freeChunk(copy)))
        await Promise.race([once(stdin, 'drain'), child.finished]);
    },
    async finish() {
      if (!hasSamples) return { measuredLufs: undefined, truePeakDbtp: undefined };
      stdin?.end();
      await child.finished;
      const measured = parseLoudness(child.stderr());
      if (measured === undefined) throw new Error('ffmpeg gives no loudness');
      return measured;
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/**
 * Reads the summary of `ebur128`. Builds write it with or without dBFS after the peak, with `-inf` or a value
 * below the gate for silence, and with a sign or a logger prefix before lines.
 */
export function parseLoudness(stderr: string): MeasuredLoudness | undefined {
  const summary = stderr.slice(Math.max(0, stderr.lastIndexOf('Summary:')));
  const lufs = /^\s*I:\s*(-?inf|nan|[-+]?[\d.]+)\s*LUFS/m.exec(summary)?.[1];
  const peak = /True peak:\s*Peak:\s*(-?inf|nan|[-+]?[\d.]+)/.exec(summary)?.[1];
  if (lufs === undefined || peak === undefined) return undefined;
  const measuredLufs = Number(lufs);
  const truePeakDbtp = Number(peak);
  return {
    measuredLufs: measuredLufs > SILENT_LUFS ? measuredLufs : undefined,
    truePeakDbtp: Number.isFinite(truePeakDbtp) ? truePeakDbtp : undefined,
  };
}

/** The gain to the target, reduced if the true peak would exceed -1 dBTP. */
export function gainFor({ measuredLufs, truePeakDbtp }: MeasuredLoudness, targetLufs: number): Loudness {
  if (measuredLufs === undefined || truePeakDbtp === undefined) {
    return { measuredLufs: undefined, gainDb: 0, truePeakDbtp: undefined };
  }
  const gainDb = tenths(Math.min(targetLufs - measuredLufs, MAX_TRUE_PEAK_DBTP - truePeakDbtp));
  return { measuredLufs, gainDb, truePeakDbtp: tenths(truePeakDbtp + gainDb) };
}

/** As precise as the measurement; floating point would add digits. */
function tenths(decibels: number): number {
  // No -0.
  return Math.round(decibels * 10) / 10 + 0;
}
