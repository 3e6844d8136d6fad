/** Estimates the result of a split. */
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { isOffered, type ShownCut, SPLIT_MODES } from './split-modes.ts';

export interface SplitRequest {
  readonly cut: ShownCut;
  /** Undefined: the source's format. */
  readonly format: OutputFormat | undefined;
}

interface SourceFacts {
  readonly seconds: number | undefined;
  readonly bytes: number | undefined;
  readonly name: string;
}

export interface Plan {
  readonly count: number;
  readonly segmentSeconds: number;
  readonly lastSeconds: number;
  /** Size of a full segment. Undefined if the encoder decides. */
  readonly segmentBytes: number | undefined;
  /** Start times of segments. */
  readonly borders: readonly number[];
  /** Whether the figures follow from the request alone. */
  readonly isExact: boolean;
}

/** Rates for two channels at 44.1 kHz. FLAC depends on the content. */
const BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = {
  mp3: 24_000,
  wav: 176_400,
  ogg: 20_000,
  aac: 20_000,
};
/** The service's limit for one source. */
export const MAX_SEGMENTS = 10_000;
/** More borders would be closer than pixels. */
const MAX_BORDERS = 4_000;

/** Undefined if too little is known. */
export function planSplit(source: SourceFacts, { cut, format }: SplitRequest): Plan | undefined {
  const { seconds } = source;
  if (seconds === undefined || seconds <= 0 || !isOffered(cut)) return undefined;
  const perSecond = bytesPerSecond(source, format);
  const mode = SPLIT_MODES[cut.splitMode];
  const segmentSeconds = mode.segmentSeconds(cut, perSecond) ?? 0;
  if (!(segmentSeconds > 0)) return undefined;
  const count = Math.max(1, Math.ceil(seconds / segmentSeconds - 1e-6));
  return {
    count,
    segmentSeconds: Math.min(segmentSeconds, seconds),
    lastSeconds: seconds - (count - 1) * segmentSeconds,
    segmentBytes: perSecond && Math.round(perSecond * Math.min(segmentSeconds, seconds)),
    borders: count > MAX_BORDERS ? [] : Array.from({ length: count - 1 }, (_, n) => (n + 1) * segmentSeconds),
    isExact: mode.isExact,
  };
}

function bytesPerSecond(source: SourceFacts, format: OutputFormat | undefined): number | undefined {
  const { seconds, bytes, name } = source;
  const isSame = format === undefined || name.toLowerCase().endsWith(`.${format}`);
  if (!isSame) return BYTES_PER_SECOND[format];
  return bytes === undefined || seconds === undefined ? undefined : bytes / seconds;
}
