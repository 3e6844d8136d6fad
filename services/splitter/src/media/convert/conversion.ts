/** What the two ways of encoding segments (one by one, or as a stream that is cut afterwards) share. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Encoding } from '../encoding.ts';
import type { PcmShape } from '../ffmpeg/argv.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { type Cut, type FinishedSegment, MediaError, type OutputFormat } from '../media.ts';
import type { PlannedSegment } from '../plan.ts';
import type { Progress } from '../progress.ts';
import type { Cover } from './cover.ts';
import type { ProbedSource } from './probe.ts';
import type { IncomingSource } from './receive.ts';

export interface ConvertOptions {
  readonly runtime: FfmpegRuntime;
  readonly incoming: IncomingSource;
  readonly cut: Cut;
  readonly outputFormat: OutputFormat | undefined;
  readonly maxSourceDurationMs: number | undefined;
  /** Where the segments before `index` end, in samples at `sampleRateHz`. */
  readonly resumeAt:
    | { readonly index: number; readonly startSample: number; readonly sampleRateHz: number }
    | undefined;
  readonly outputDir: string;
  readonly progress: ReturnType<Progress['span']>;
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
  /** Ends the runtime's signal, and with it every child. */
  readonly stop: (reason: unknown) => void;
}

/** What all segments of one conversion share. */
export interface Conversion {
  readonly options: ConvertOptions;
  readonly probed: ProbedSource;
  readonly encoding: Encoding;
  /** Undefined where the format holds none. */
  readonly cover: Cover | undefined;
  readonly pcm: PcmShape;
  /** At the working rate. */
  readonly totalSamples: number;
  readonly start: { readonly index: number; readonly startSample: number };
  /** Finished files of the working folder go through here: checked, moved, handed out. */
  readonly handOut: (segment: PlannedSegment, encodedPath: string, sizeBytes: number) => Promise<void>;
}

/** Checks a finished file against the limit, moves it out of the working folder and hands it out. */
export async function handOut(
  options: ConvertOptions,
  encoding: Encoding,
  pcm: PcmShape,
  totalSamples: number,
  segment: PlannedSegment,
  encodedPath: string,
  sizeBytes: number,
): Promise<void> {
  const { cut } = options;
  if (cut.mode === 'fileSize' && sizeBytes > cut.maxFileSizeBytes) {
    throw new Error(
      `segment ${segment.index} has ${sizeBytes} bytes, above the limit of ${cut.maxFileSizeBytes}`,
    );
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
  options.progress(segment.startSample + segment.sampleCount, totalSamples);
}

export function segmentLimitUnreachable(encoding: Encoding): MediaError {
  return new MediaError(
    'SEGMENT_LIMIT_UNREACHABLE',
    `The maximum file size is too small to hold any audio of this source as ${encoding.outputFormat}.`,
  );
}
