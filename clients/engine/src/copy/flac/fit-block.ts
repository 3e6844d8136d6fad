import { type BlockPlan, planBlock } from './coding/block-encoder.ts';
import type { BlockSpan } from './coding/pcm-block.ts';

/** If at most this much room is left, no further attempt is made. */
const SLACK_BYTES = 48;
const MAX_GUESSES = 6;

/**
 * Plans the longest block at the beginning of `wanted` whose body takes at most `roomBytes`; undefined if not
 * even one sample fits.
 *
 * Estimates from the bytes per sample between the nearest plan that fits and the nearest that does not; if
 * that makes no progress, halves.
 */
export function fitBlock(wanted: BlockSpan, bitsPerSample: number, roomBytes: number): BlockPlan | undefined {
  const whole = planBlock(wanted, bitsPerSample);
  if (whole.bodyBytes <= roomBytes) return whole;
  let fitting: BlockPlan | undefined;
  let tooLarge = whole;
  for (let tries = 0; ; tries++) {
    const low = fitting?.sampleCount ?? 0;
    const lowBytes = fitting?.bodyBytes ?? 0;
    const span = tooLarge.sampleCount - low;
    const isDone = fitting !== undefined && (roomBytes - lowBytes <= SLACK_BYTES || tries >= MAX_GUESSES);
    if (isDone || span <= 1 || roomBytes <= 0) return fitting;
    const aimedBytes = roomBytes - SLACK_BYTES / 2 - lowBytes;
    const guess =
      tries < MAX_GUESSES ? Math.floor((span * aimedBytes) / (tooLarge.bodyBytes - lowBytes)) : span >> 1;
    const sampleCount = low + Math.min(span - 1, Math.max(1, guess));
    const plan = planBlock({ ...wanted, to: wanted.from + sampleCount }, bitsPerSample);
    if (plan.bodyBytes <= roomBytes) fitting = plan;
    else tooLarge = plan;
  }
}
