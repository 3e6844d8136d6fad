/** What is played: each source in each output format, cut in three ways. The third is a plan: two caps at once, cuts in silences. */
import type { Cut, PlannedCut } from '../../clients/engine/src/cuts/cut.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../clients/engine/src/formats/formats.ts';
import type { FinishedSegment } from '../../clients/engine/src/media.ts';
import type { Program } from './programs.ts';
import type { PlayedSource } from './sources.ts';

export interface Combination {
  readonly source: PlayedSource;
  /** Undefined: the source's own. */
  readonly outputFormat: OutputFormat | undefined;
  readonly cut: Cut | PlannedCut;
}

/** For sources of this length. Shorter ones get shorter segments and lower ceilings, so that there are cuts to judge. */
const FULL_LENGTH_SECONDS = 20 * 60;
const SEGMENT_SECONDS = 5 * 60;
const MAX_LOSSY_BYTES = 5_000_000;
const MAX_LOSSLESS_BYTES = 25_000_000;
const AAC_FRAME_SAMPLES = 1_024;
/** Half of the long block that libvorbis uses at this rate. */
const MAX_VORBIS_PACKET_SAMPLES = 1_024;
const LOSSLESS: readonly (OutputFormat | undefined)[] = ['wav', 'flac'];

export function combinationsOf(
  sources: readonly PlayedSource[],
  sourceSeconds: number,
): readonly Combination[] {
  return sources.flatMap((source) => {
    const outputFormats = source.isOutputFormat ? OUTPUT_FORMATS : [undefined];
    return outputFormats.flatMap((outputFormat) =>
      cutsOf(outputFormat, sourceSeconds).map((cut) => ({ source, outputFormat, cut })),
    );
  });
}

function cutsOf(outputFormat: OutputFormat | undefined, sourceSeconds: number): (Cut | PlannedCut)[] {
  const share = Math.min(1, sourceSeconds / FULL_LENGTH_SECONDS);
  const segmentDuration = share * SEGMENT_SECONDS;
  const bytes = LOSSLESS.includes(outputFormat) ? MAX_LOSSLESS_BYTES : MAX_LOSSY_BYTES;
  const maxFileSize = Math.round(share * bytes);
  const snapToSilence = { window: 10 };
  return [
    { mode: 'duration', segmentDurationSeconds: segmentDuration },
    { mode: 'fileSize', maxFileSizeBytes: maxFileSize },
    {
      mode: 'planned',
      request: { splitMode: 'duration', segmentDuration: 2 * segmentDuration, maxFileSize, snapToSilence },
    },
  ];
}

export function ceilingOf(cut: Cut | PlannedCut): number | undefined {
  if (cut.mode === 'planned') return cut.request.maxFileSize;
  return cut.mode === 'fileSize' ? cut.maxFileSizeBytes : undefined;
}

export function nameOf({ source, outputFormat, cut }: Combination): string {
  const limit =
    cut.mode === 'duration' ? `${cut.segmentDurationSeconds} s` : `${(ceilingOf(cut) ?? 0) / 1e6} MB`;
  return `${source.name} → ${outputFormat ?? source.name}, ${limit}${cut.mode === 'planned' ? ', planned' : ''}`;
}

/**
 * How many samples a program may play beyond the end of a segment: those of a copied AAC frame (a plan encodes one file and
 * copies out of it), and in ffmpeg those of the last packet of a Vorbis stream that has a single page.
 */
export function allowedExcess(
  { source, cut }: Combination,
  { extension, sampleCount, sampleRateHz }: FinishedSegment,
  program: Program,
): number {
  if (extension === 'm4a') return source.name === 'm4a' || cut.mode === 'planned' ? AAC_FRAME_SAMPLES - 1 : 0;
  const isOnePage = sampleCount < sampleRateHz;
  return extension === 'ogg' && program === 'ffmpeg' && isOnePage ? MAX_VORBIS_PACKET_SAMPLES - 1 : 0;
}
