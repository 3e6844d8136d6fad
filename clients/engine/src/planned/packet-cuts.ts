/**
 * Plans under `maxDuration` if copies are cut between packets: a cut is up to half a packet away from its
 * place, so a segment may be longer than planned. The plan is measured, and made again with a cap that is
 * lower by the measured excess, until no segment exceeds the real cap. Measuring writes nothing.
 */
import type { Piece } from '@audiosplit/cuts/plan/piece';
import type { FinishedSegment } from '../media.ts';

const MAX_TRIES = 16;
/** The cap is lowered by this multiple each time, because another plan has other packets at its cuts. */
const GROWTH = 1.5;

interface PacketPlanner {
  readonly plan: (maxSegmentSeconds: number) => Promise<readonly Piece[]>;
  readonly measure: (pieces: readonly Piece[]) => Promise<readonly (FinishedSegment | undefined)[]>;
}

export async function planBetweenPackets(
  maxSegmentSeconds: number,
  { plan, measure }: PacketPlanner,
): Promise<readonly Piece[]> {
  let lowerBySeconds = 0;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const pieces = await plan(maxSegmentSeconds - lowerBySeconds);
    const segments = await measure(pieces);
    let longest = 0;
    let excess = 0;
    for (const [index, { startSeconds, endSeconds }] of pieces.entries()) {
      const { sampleCount = 0, sampleRateHz = 1 } = segments[index] ?? {};
      const seconds = sampleCount / sampleRateHz;
      longest = Math.max(longest, seconds);
      excess = Math.max(excess, seconds - (endSeconds - startSeconds));
    }
    if (longest <= maxSegmentSeconds) return pieces;
    lowerBySeconds = Math.max(GROWTH * lowerBySeconds, excess);
  }
  throw new Error(`segments stay longer than ${maxSegmentSeconds} s`);
}
