/** Shared by the two ways of encoding segments: one by one, or as a stream that is cut afterwards. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodingOptions } from '@audiosplit/cuts/cut-request';
import type { SegmentTags } from '../copy/copy-contract.ts';
import type { CutRule } from '../cuts/cut-rule.ts';
import type { PlannedSegment } from '../cuts/plan.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { Encoding } from '../formats/encoding.ts';
import type { OutputFormat, PcmShape } from '../formats/formats.ts';
import type { FinishedSegment } from '../media.ts';
import type { OutputLimit } from '../output/output-limit.ts';
import type { ScratchRoom } from '../output/scratch-room.ts';
import type { WorkingSet } from '../output/working-set.ts';
import type { Progress } from '../progress.ts';
import type { ConvertProgress } from './convert-progress.ts';
import type { ProbedSource } from './input/probed-source.ts';
import type { IncomingSource } from './input/receive.ts';
import type { Cover } from './tags/cover.ts';

export interface ConvertOptions {
  readonly runtime: FfmpegRuntime;
  readonly incoming: IncomingSource;
  readonly cut: CutRule;
  readonly outputFormat: OutputFormat | undefined;
  /** Requested options besides the format; `loudness` has an effect here only through `gainDb`. */
  readonly encoding?: EncodingOptions;
  readonly preset?: 'speech';
  /** One for all segments. */
  readonly gainDb?: number;
  readonly maxSourceDurationMs: number | undefined;
  /** As in SplitOptions. */
  readonly reserve?: ((neededMs: number) => Promise<void>) | undefined;
  /** Default: none. */
  readonly outputLimit?: OutputLimit;
  readonly scratchRoom: ScratchRoom;
  /** The end of the segments before `index`, in samples at `sampleRateHz`. */
  readonly resumeAt:
    | { readonly index: number; readonly startSample: number; readonly sampleRateHz: number }
    | undefined;
  readonly outputDir: string;
  /**
   * The tags of the segment at this index. Called any number of times, also with an index after the last one.
   * Absent or undefined: the source's title with the segment's number.
   */
  readonly tagsOf?: (index: number) => SegmentTags | undefined;
  readonly progress: Progress;
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
  /** Aborts the runtime's signal, and with it ends every child process. */
  readonly stop: (reason: unknown) => void;
}

/** Shared by all segments of one conversion. */
export interface Conversion {
  readonly options: ConvertOptions;
  readonly probed: ProbedSource;
  readonly encoding: Encoding;
  /** Undefined if the format holds none. */
  readonly cover: Cover | undefined;
  readonly pcm: PcmShape;
  /** Counted at the rate of `pcm`. */
  readonly start: { readonly index: number; readonly startSample: number };
  /**
   * The number of samples before the start that are passed too, for m4a segments with a lead-in; default 0.
   */
  readonly leadInSamples?: number;
  /**
   * All samples of the source at the rate of `pcm`, including those before the start: exact if its header is
   * right.
   */
  readonly expectedSamples: number | undefined;
  readonly workingSet: WorkingSet;
  readonly progress: ConvertProgress;
}

/** Whole samples, in the order of arrival. */
export interface SampleChunks {
  readonly chunks: AsyncIterable<Buffer>;
  /** To be called with each chunk that is no longer read. */
  readonly free: (chunk: Uint8Array) => void;
}

/** The part of a conversion that is needed by segments that are encoded one by one. */
export type SegmentConversion = Omit<Conversion, 'options'> & {
  readonly options: Pick<ConvertOptions, 'runtime' | 'cut' | 'outputDir' | 'tagsOf' | 'onSegment' | 'stop'>;
};

/** Checks a finished file against the limit, moves it out of the working folder and hands it out. */
export async function handOut(
  { options, encoding, pcm, progress }: SegmentConversion,
  segment: PlannedSegment,
  encodedPath: string,
  sizeBytes: number,
): Promise<void> {
  const { maxSegmentBytes } = options.cut;
  if (sizeBytes > maxSegmentBytes) {
    throw new Error(`segment ${segment.index} has ${sizeBytes} bytes, above the limit of ${maxSegmentBytes}`);
  }
  options.runtime.signal.throwIfAborted();
  const path = join(
    options.outputDir,
    `segment-${String(segment.index).padStart(5, '0')}.${encoding.extension}`,
  );
  await rename(encodedPath, path);
  const { extension, contentType } = encoding;
  await options.onSegment({
    ...segment,
    path,
    extension,
    contentType,
    sampleRateHz: pcm.sampleRateHz,
    sizeBytes,
  });
  progress.handedOut(segment.startSample + segment.sampleCount);
}
