/**
 * Finds a place in a source near a time without walking to it: the data read at one position shows its time,
 * and so where to search next.
 */
import { CopyNotPossibleError } from '../copy-contract.ts';

export interface SourcePlace {
  /** In bytes from the beginning of the source. */
  readonly position: number;
  /** The number of the stream's samples before it. */
  readonly sample: number;
}

export interface PlaceSearch {
  /**
   * A place before `sample`, near it and far after `from`; for Infinity one near the end of the source.
   * Undefined if there is none, or the previous call had the same `sample`. Throws CopyNotPossibleError if
   * times do not ascend.
   */
  before(sample: number, from: SourcePlace): Promise<SourcePlace | undefined>;
}

interface PlaceSearchOptions {
  /** How much is read per position. */
  readonly lookBytes: number;
  /** Finds the first place in the bytes that are read from `position` on. */
  readonly look: (position: number) => Promise<SourcePlace | undefined>;
  /**
   * The end of the source, with sample 0 if that is unknown. Undefined: nothing can be found in the source.
   */
  readonly findEnd: () => Promise<SourcePlace | undefined>;
}

/** Bitrates are usually even enough for proportional steps to converge; otherwise the range is halved. */
const MAX_PROPORTIONAL_LOOKS = 6;
const MAX_LOOKS = 24;

export function createPlaceSearch({ lookBytes, look, findEnd }: PlaceSearchOptions): PlaceSearch {
  let lastAsked: number | undefined;

  async function lookBetween(low: SourcePlace, high: SourcePlace, share: number) {
    const position = Math.floor(low.position + share * (high.position - low.position)) - lookBytes;
    if (position - low.position < lookBytes) return undefined;
    const found = await look(position);
    if (found !== undefined && found.sample <= low.sample)
      throw new CopyNotPossibleError('times in the source do not ascend');
    return found;
  }

  async function before(sample: number, from: SourcePlace): Promise<SourcePlace | undefined> {
    if (sample === lastAsked) return undefined;
    lastAsked = sample;
    let low = from;
    let high = await findEnd();
    for (let looks = 0; high !== undefined && looks < MAX_LOOKS; looks++) {
      const isEven = looks < MAX_PROPORTIONAL_LOOKS && high.sample > low.sample;
      const share = isEven ? Math.min(1, (sample - low.sample) / (high.sample - low.sample)) : 0.5;
      const found = await lookBetween(low, high, sample === Number.POSITIVE_INFINITY ? 1 : share);
      if (found === undefined) break;
      if (found.sample < sample) low = found;
      else high = found;
      if (sample === Number.POSITIVE_INFINITY) break;
    }
    return low === from ? undefined : low;
  }

  return { before };
}
