/** What a split will come to, as far as it can be known before. */
import type { OutputFormat, SplitMode } from '@audiosplit/proto/vocabulary';

export interface Wish {
  readonly mode: SplitMode;
  readonly segmentSeconds: number;
  readonly maxBytes: number;
  /** Undefined: the format of the source. */
  readonly format: OutputFormat | undefined;
}

export interface SourceFacts {
  readonly seconds: number | undefined;
  readonly bytes: number | undefined;
  readonly name: string;
}

export interface Plan {
  readonly count: number;
  readonly segmentSeconds: number;
  readonly lastSeconds: number;
  /** Of a whole segment; undefined where the encoder decides. */
  readonly segmentBytes: number | undefined;
  /** Where segments begin. */
  readonly borders: readonly number[];
  /** Whether the figures follow from the wish alone. */
  readonly isExact: boolean;
}

/** What the service encodes two channels to, at the usual 44.1 kHz. Without FLAC, which depends on the music. */
const BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = {
  mp3: 24_000,
  wav: 176_400,
  ogg: 20_000,
  aac: 20_000,
};
/** The service makes no more of one source. */
export const MAX_SEGMENTS = 10_000;
/** More borders than pixels say nothing. */
const MAX_BORDERS = 4_000;

/** Undefined while too little is known. */
export function planSplit({ seconds, bytes, name }: SourceFacts, wish: Wish): Plan | undefined {
  if (seconds === undefined || seconds <= 0) return undefined;
  const perSecond = bytesPerSecond({ seconds, bytes, name }, wish.format);
  if (wish.mode === 'fileSize' && perSecond === undefined) return undefined;
  const segmentSeconds =
    wish.mode === 'duration' ? wish.segmentSeconds : wish.maxBytes / (perSecond ?? Number.POSITIVE_INFINITY);
  if (!(segmentSeconds > 0)) return undefined;
  const count = Math.max(1, Math.ceil(seconds / segmentSeconds - 1e-6));
  return {
    count,
    segmentSeconds: Math.min(segmentSeconds, seconds),
    lastSeconds: seconds - (count - 1) * segmentSeconds,
    segmentBytes:
      wish.mode === 'fileSize'
        ? Math.min(wish.maxBytes, perSecond === undefined ? wish.maxBytes : perSecond * seconds)
        : perSecond && perSecond * Math.min(segmentSeconds, seconds),
    borders: count > MAX_BORDERS ? [] : Array.from({ length: count - 1 }, (_, n) => (n + 1) * segmentSeconds),
    isExact: wish.mode === 'duration',
  };
}

function bytesPerSecond(source: SourceFacts, format: OutputFormat | undefined): number | undefined {
  const { seconds, bytes, name } = source;
  const isSame = format === undefined || name.toLowerCase().endsWith(`.${format}`);
  if (!isSame) return BYTES_PER_SECOND[format];
  return bytes === undefined || seconds === undefined ? undefined : bytes / seconds;
}
