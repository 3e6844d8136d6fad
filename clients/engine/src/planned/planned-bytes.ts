/** The size of a plan's segments. Overlaps, and overlapping ranges, count each time that they are written. */
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { createOutputLimit } from '../output/output-limit.ts';
import { plannedOutputBytes } from '../output/planned-output.ts';
import { maxTagBytesOf } from './max-tag-bytes.ts';
import type { PlannedSplit } from './prepare.ts';

/** Call it before anything is written; a dry run writes nothing. Throws OUTPUT_TOO_LARGE. */
export function refuseBeyondOutput(split: PlannedSplit, pieces: readonly Piece[]): void {
  if (split.request.dryRun === true) return;
  createOutputLimit(split.options.maxOutputBytes).check(plannedBytes(split, pieces));
}

function plannedBytes(split: PlannedSplit, pieces: readonly Piece[]): number {
  const { route, source, totalSeconds } = split;
  const seconds = pieces.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  // Its bytes are assumed to be spread evenly; the written bytes are counted in addition.
  if (route.kind === 'copy') return (source.file.sizeBytes * seconds) / totalSeconds;
  const { shape, sizes } = route;
  const isCarried = (sizes.cover?.bytes.length ?? 0) <= maxTagBytesOf(split, pieces);
  const cover = isCarried ? sizes.cover : undefined;
  return plannedOutputBytes({ ...shape, cover }, seconds * shape.pcm.sampleRateHz, pieces.length);
}
