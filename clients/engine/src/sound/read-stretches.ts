/**
 * The levels of a whole source from stretches that are decoded in parallel, one per core. Their borders
 * depend only on the source, so the result is the same with any number of cores.
 */
import { BACKLOG_PER_WORKER, runOrdered } from '../convert/encode/ordered-pool.ts';
import { usableCores } from '../convert/encode/usable-cores.ts';
import { endOfLevels, type Levels, STEP_SECONDS } from './levels.ts';

/**
 * Whole seconds, so that steps of 10 ms are at the same positions as in one pass. For each stretch one second
 * is decoded twice.
 */
const STRETCH_SECONDS = 300;
/** A shorter rest is read with the previous stretch, which needs one step of what follows it. */
const SHORTEST_SECONDS = 1;
/** How far the last stretch extends beyond the stated end. */
const BEYOND_SECONDS = 1;
/** By how much the audio may end earlier. */
const MISSING_SECONDS = 0.25;

type ReadLevels = (window: {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}) => Promise<Levels | undefined>;

/** Undefined if a stretch cannot be read separately, or does not return what it should. */
export async function readInStretches(totalSeconds: number, read: ReadLevels): Promise<Levels | undefined> {
  const count = Math.max(1, Math.ceil((totalSeconds - SHORTEST_SECONDS) / STRETCH_SECONDS));
  const workers = Math.min(usableCores(), count);
  const values: Float32Array[] = [];
  let isWhole = true;

  function take(levels: Levels | undefined, index: number): void {
    const isLast = index === count - 1;
    const steps = isLast ? levels?.values.length : Math.round(STRETCH_SECONDS / STEP_SECONDS);
    const missing = levels && isLast ? totalSeconds - endOfLevels(levels) : 0;
    if (levels === undefined || levels.values.length < (steps ?? 0) || missing > MISSING_SECONDS)
      isWhole = false;
    else values.push(levels.values.subarray(0, steps));
  }

  async function* indexes(): AsyncGenerator<number> {
    for (let index = 0; index < count && isWhole; index++) yield index;
  }

  await runOrdered(indexes(), {
    workers,
    backlog: workers * BACKLOG_PER_WORKER,
    work: async (index) => {
      const fromSeconds = index * STRETCH_SECONDS;
      const toSeconds =
        // The last value of a stretch includes the first step of the next.
        index === count - 1 ? totalSeconds + BEYOND_SECONDS : fromSeconds + STRETCH_SECONDS + STEP_SECONDS;
      return { index, levels: await read({ fromSeconds, toSeconds }) };
    },
    deliver: async ({ index, levels }) => take(levels, index),
    onFailure: () => undefined,
  });
  return isWhole ? { startSeconds: 0, stepSeconds: STEP_SECONDS, values: joined(values) } : undefined;
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
