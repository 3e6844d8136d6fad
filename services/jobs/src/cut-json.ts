/** What the jobs service has to know of a cut, which it keeps as the JSON of the message Cut. Pure. */
import type { JsonObject } from '@bufbuild/protobuf';

/** A job without files, which uses nothing of a quota. */
export function isDryRun(cut: JsonObject): boolean {
  return cut.dryRun === true;
}

/** Positions may be many, and no list or notification shows them: without them a cut is small. */
export const LISTS_OF_POSITIONS = [
  ['chapters', 'chapters'],
  ['ranges', 'ranges'],
  ['ranges', 'splitPoints'],
] as const;

export function withoutPositions(cut: JsonObject): JsonObject {
  const small = { ...cut };
  for (const [mode, list] of LISTS_OF_POSITIONS) {
    const fields = small[mode];
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) continue;
    const { [list]: _, ...others } = fields;
    small[mode] = others;
  }
  return small;
}

interface SegmentTimes {
  readonly startMs: number;
  readonly durationMs: number;
  readonly contentStartMs?: number;
}

/**
 * What counts as used; undefined: the length of the source. A job that was divided has it from its segments, as its
 * splitters know their parts alone.
 */
export function meteredMsOf(
  cut: JsonObject,
  {
    meteredMs,
    segments,
  }: { readonly meteredMs?: number | undefined; readonly segments: readonly SegmentTimes[] },
): number | undefined {
  if (isDryRun(cut)) return 0;
  if (meteredMs !== undefined) return meteredMs;
  if (isPlain(cut)) return undefined;
  const usedMs = segments.reduce(
    (sum, { startMs, contentStartMs = startMs, durationMs }) => sum + startMs + durationMs - contentStartMs,
    0,
  );
  return Math.ceil(usedMs / 1_000) * 1_000;
}

/** What counts as used. */
export function usedMsOf(
  cut: JsonObject,
  outcome: Parameters<typeof meteredMsOf>[1] & { readonly sourceDurationMs: number },
): number {
  return meteredMsOf(cut, outcome) ?? outcome.sourceDurationMs;
}

/** Of the first two modes, and nothing else: what every release carries out. */
export function isPlain({ duration, fileSize, ...others }: JsonObject): boolean {
  return (duration !== undefined || fileSize !== undefined) && Object.keys(others).length === 0;
}
