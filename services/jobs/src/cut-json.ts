/**
 * The properties of a cut that the jobs service needs; it stores the cut as JSON of the message Cut. Pure.
 */
import type { JsonObject } from '@bufbuild/protobuf';

/** A job without files, which does not count against a quota. */
export function isDryRun(cut: JsonObject): boolean {
  return cut.dryRun === true;
}

/**
 * Lists of positions may be long, and no list of jobs or notification shows them. Without them a cut is
 * small.
 */
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
 * The metered duration; undefined: the length of the source. A divided job has it from its segments, because
 * each splitter knows its own part only.
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

/** The used duration. */
export function usedMsOf(
  cut: JsonObject,
  outcome: Parameters<typeof meteredMsOf>[1] & { readonly sourceDurationMs: number },
): number {
  return meteredMsOf(cut, outcome) ?? outcome.sourceDurationMs;
}

/** Whether the cut uses only the first two modes, which every release supports. */
export function isPlain({ duration, fileSize, ...others }: JsonObject): boolean {
  return (duration !== undefined || fileSize !== undefined) && Object.keys(others).length === 0;
}
