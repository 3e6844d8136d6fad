/** One run of the engine on this machine, for both `split` and `plan`. */
import { type Cuts, readCuts } from '@audiosplit/cuts/read-cuts';
import { fromCutRequest } from '../cuts/cut.ts';
import type { FinishedSegment, SplitResult } from '../media.ts';
import { createSegmentNames, type NamedSegment } from '../names/segment-name.ts';
import type { SandboxMode } from '../sandbox/find-sandbox.ts';
import { splitAudio } from '../split-audio.ts';
import { findFfmpeg } from './find-ffmpeg.ts';
import { type OpenedSource, openSource, type Source } from './open-source.ts';
import { toMs } from './segment.ts';

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** 0 to 1, never decreasing. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Replaces a path's file name in the names of segments. */
  readonly name?: string | undefined;
  /** Absent: the ffmpeg of the package. Copies of the five formats need none. */
  readonly ffmpegPath?: string | undefined;
  /** How ffmpeg is confined on Linux. Absent: `preferred`, as far as the kernel allows. */
  readonly sandbox?: SandboxMode | undefined;
}

/** Information about the whole split when it is done. */
export interface Summary {
  readonly outputFormat: SplitResult['outputFormat'];
  readonly segmentCount: number;
  /** Seconds. */
  readonly sourceDuration: number;
  /** Bytes. */
  readonly sourceSize: number;
  /** Of a request with `encoding.loudness`. */
  readonly loudness?: {
    /** LUFS; null: the source is silent. */
    readonly measured: number | null;
    /** dB. */
    readonly gain: number;
    /** dBTP after the gain; null: the source is silent. */
    readonly truePeak: number | null;
  };
}

export interface EngineRun {
  /** Whether the number of segments is known before the first. */
  readonly isPlanned: boolean;
  /** `onSegment` receives each segment with its name. */
  run(
    scratchDir: string,
    onSegment: (segment: FinishedSegment, fileName: string) => Promise<void>,
  ): Promise<Summary>;
}

/**
 * Without a template, indexes are padded for at least this many segments: a copy knows their number only at
 * its end.
 */
const LEAST_COUNT = 1_000;

/** Throws InvalidCutsError, and an error if there is no such file. */
export async function prepareRun(
  source: Source,
  cuts: Cuts,
  { signal, onProgress = () => undefined, name, ffmpegPath, sandbox = 'preferred' }: RunOptions,
): Promise<EngineRun> {
  const { request, outputFormat } = readCuts(cuts);
  const [opened, ffmpeg] = await Promise.all([openSource(source, name), findFfmpeg(ffmpegPath, sandbox)]);
  signal?.throwIfAborted();
  const cut = fromCutRequest(request);
  return {
    isPlanned: cut.mode === 'planned',
    async run(scratchDir, onSegment) {
      const namesFor = (count: number) => segmentNames(request.fileName, opened, count);
      let nameOf = namesFor(0);
      try {
        const result = await splitAudio({
          source: opened.source,
          cut,
          ...(outputFormat === undefined ? {} : { outputFormat }),
          scratchDir,
          ffmpegPath: ffmpeg.ffmpegPath,
          sandbox: ffmpeg.sandbox,
          signal: signal ?? new AbortController().signal,
          onProgress,
          onPlan(count) {
            nameOf = namesFor(count);
          },
          onSegment: (segment) => onSegment(segment, nameOf(segment)),
        });
        return summaryOf(result);
      } catch (error) {
        throw ffmpeg.explain(error);
      }
    },
  };
}

function segmentNames(
  template: string | undefined,
  { fileName }: OpenedSource,
  count: number,
): (segment: FinishedSegment) => string {
  const atLeast = template === undefined ? Math.max(count, LEAST_COUNT) : count;
  const nameOf = createSegmentNames(template, fileName, atLeast);
  return (segment) => nameOf(asNamed(segment));
}

function asNamed({ index, title, extension, startSample, sampleRateHz }: FinishedSegment): NamedSegment {
  const startMs = toMs(startSample, sampleRateHz);
  return { index, extension, startMs, ...(title === undefined ? {} : { title }) };
}

function summaryOf(result: SplitResult): Summary {
  const { outputFormat, segmentCount, sourceSampleCount, sourceSampleRateHz, loudness } = result;
  return {
    outputFormat,
    segmentCount,
    sourceDuration: toMs(sourceSampleCount, sourceSampleRateHz) / 1_000,
    sourceSize: result.sourceSizeBytes,
    ...(loudness === undefined
      ? {}
      : {
          loudness: {
            measured: loudness.measuredLufs ?? null,
            gain: loudness.gainDb,
            truePeak: loudness.truePeakDbtp ?? null,
          },
        }),
  };
}
