import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cuts } from '@audiosplit/cuts/read-cuts';
import type { Source } from './open-source.ts';
import { prepareRun, type RunOptions, type Summary } from './run-engine.ts';
import { describeSegment, type PlannedSegment } from './segment.ts';

export interface Plan extends Summary {
  readonly segments: readonly PlannedSegment[];
}

/**
 * The segments that `split` would make of the source: times, names and sizes, without files. Throws what
 * `split` throws.
 */
export async function plan(source: Source, cuts: Cuts, options: RunOptions = {}): Promise<Plan> {
  const engine = await prepareRun(source, { ...cuts, dryRun: true }, options);
  const scratchDir = await mkdtemp(join(tmpdir(), 'audiosplit-'));
  try {
    const segments = new Map<number, PlannedSegment>();
    const summary = await engine.run(scratchDir, async (segment, fileName) => {
      segments.set(segment.index, describeSegment(segment, fileName, 'exact'));
    });
    const made = [...segments.values()].filter(({ index }) => index < summary.segmentCount);
    return { ...summary, segments: made };
  } finally {
    await rm(scratchDir, { recursive: true, force: true });
  }
}
