/**
 * Tracks the known length of a conversion's source: checks the size of its output, and reserves room for it.
 */
import type { Conversion } from '../convert/conversion.ts';
import { MAX_SEGMENTS } from '../cuts/cut.ts';
import type { Borders } from '../cuts/cut-rule.ts';
import { UNLIMITED_OUTPUT } from './output-limit.ts';
import { plannedOutputBytes, soundBytes } from './planned-output.ts';
import { repackingSetOf, type WorkingSet, workingSetOf } from './working-set.ts';

interface OutputGrowth {
  /** Whether the output of that many samples would exceed the bound. */
  isTooLong(samples: number | undefined): boolean;
  /** Throws OUTPUT_TOO_LARGE. */
  check(samples: number): void;
  /** Waits for room. `samples`: of the whole source; undefined: unknown. */
  begin(samples: number | undefined): Promise<WorkingSet>;
  /**
   * Call it when the source has at least this many samples. A header that claims less is ignored from then
   * on. Throws OUTPUT_TOO_LARGE.
   */
  reaches(samples: number): Promise<void> | undefined;
}

/**
 * By how much a source may exceed an honest header's claim, for example if ffmpeg estimates from the bitrate.
 */
const CLAIM_MARGIN = 1.1;

export function outputGrowth(
  { options, encoding, pcm, cover }: Pick<Conversion, 'options' | 'encoding' | 'pcm' | 'cover'>,
  borders: Borders | undefined,
): OutputGrowth {
  const { outputLimit = UNLIMITED_OUTPUT, scratchRoom, cut } = options;
  const shape = { encoding, pcm, cover };
  let roomForSamples = Number.POSITIVE_INFINITY;

  function outputBytes(samples: number): number {
    const segmentCount =
      borders === undefined
        ? Math.ceil(soundBytes(shape, samples) / cut.maxSegmentBytes)
        : Math.ceil(
            samples / Math.min(borders.longestSegmentSamples, borders.maxSourceSamples / MAX_SEGMENTS),
          );
    return plannedOutputBytes(shape, samples, segmentCount);
  }

  function setFor(samples: number | undefined): WorkingSet {
    if (borders === undefined) return repackingSetOf(shape, samples, cut.maxSegmentBytes);
    const { longestSegmentSamples } = borders;
    const { shareBytes } = scratchRoom;
    return workingSetOf({ shape, longestSegmentSamples, totalSamples: samples, shareBytes });
  }

  async function widen(samples: number): Promise<void> {
    roomForSamples = 2 * samples;
    await scratchRoom.reserve(setFor(roomForSamples).bytes);
  }

  return {
    isTooLong: (samples) => samples !== undefined && outputBytes(samples) > outputLimit.maxBytes,
    check: (samples) => outputLimit.check(outputBytes(samples)),
    async begin(samples) {
      const set = setFor(samples);
      if (samples !== undefined) roomForSamples = CLAIM_MARGIN * samples + pcm.sampleRateHz;
      await scratchRoom.reserve(set.bytes);
      return set;
    },
    reaches(samples) {
      outputLimit.check(outputBytes(samples));
      return samples > roomForSamples ? widen(samples) : undefined;
    },
  };
}
