/**
 * Where the cuts lie, in whole samples. Pure arithmetic: the same for every route and every format.
 *
 * In duration mode boundary k is round(k * T * rate), so boundaries never drift and an exact multiple gives
 * exactly that many segments; a remainder under 0.1 s joins the segment before it. Under a byte ceiling a
 * joined remainder would break the ceiling, so there the last but one gives up samples to the last instead.
 */
import { MAX_SEGMENTS, MediaError, MIN_REMAINDER_SECONDS } from './media.ts';

export interface PlannedSegment {
  readonly index: number;
  readonly startSample: number;
  readonly sampleCount: number;
}

export interface DurationPlan {
  readonly totalSamples: number;
  readonly sampleRateHz: number;
  readonly segmentDurationSeconds: number;
  /** Segments before `index` are done and end at `startSample`. */
  readonly resumeAt?: { readonly index: number; readonly startSample: number };
}

/** Throws TOO_MANY_SEGMENTS above 10,000; no samples give no segments. */
export function planByDuration(plan: DurationPlan): readonly PlannedSegment[] {
  const { totalSamples, sampleRateHz, segmentDurationSeconds } = plan;
  const boundary = (k: number): number => Math.round(k * segmentDurationSeconds * sampleRateHz);
  const sliver = minRemainderSamples(sampleRateHz);
  const segments: PlannedSegment[] = [];
  let { index, startSample } = plan.resumeAt ?? { index: 0, startSample: 0 };
  let k = Math.floor(startSample / (segmentDurationSeconds * sampleRateHz));
  while (startSample < totalSamples) {
    do k += 1;
    while (boundary(k) - startSample < sliver && boundary(k) < totalSamples);
    const end = totalSamples - boundary(k) < sliver ? totalSamples : boundary(k);
    refuseTooMany(index + 1);
    segments.push({ index, startSample, sampleCount: end - startSample });
    startSample = end;
    index += 1;
  }
  return segments;
}

/** Segments of at most `maxSamples` each. Throws TOO_MANY_SEGMENTS above 10,000. */
export function planBySamples(
  totalSamples: number,
  maxSamples: number,
  sampleRateHz: number,
  resumeAt = { index: 0, startSample: 0 },
): readonly PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  let { index, startSample } = resumeAt;
  refuseTooMany(index + Math.ceil((totalSamples - startSample) / maxSamples));
  while (startSample < totalSamples) {
    const sampleCount = withoutSliver(maxSamples, totalSamples - startSample, sampleRateHz);
    refuseTooMany(index + 1);
    segments.push({ index, startSample, sampleCount });
    startSample += sampleCount;
    index += 1;
  }
  return segments;
}

/** The most samples up to `wanted` that leave either nothing or at least 0.1 s of `remaining`, where possible. */
export function withoutSliver(wanted: number, remaining: number, sampleRateHz: number): number {
  if (wanted >= remaining) return remaining;
  const sliver = minRemainderSamples(sampleRateHz);
  const left = remaining - wanted;
  return left < sliver && wanted > 2 * sliver ? remaining - sliver : wanted;
}

export function refuseTooMany(segmentCount: number): void {
  if (segmentCount <= MAX_SEGMENTS) return;
  throw new MediaError(
    'TOO_MANY_SEGMENTS',
    `The source would give more than ${MAX_SEGMENTS} segments: choose longer or larger segments.`,
  );
}

function minRemainderSamples(sampleRateHz: number): number {
  return Math.ceil(MIN_REMAINDER_SECONDS * sampleRateHz);
}
