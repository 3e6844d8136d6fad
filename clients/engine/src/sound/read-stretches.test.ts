import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STEP_SECONDS } from './levels.ts';
import { readInStretches } from './read-stretches.ts';

const STEPS_PER_SECOND = Math.round(1 / STEP_SECONDS);

function stepsWithin(seconds: number): number {
  return Math.floor(seconds * STEPS_PER_SECOND + 1e-6);
}

for (const totalSeconds of [0.5, 299.995, 300, 300.004, 300.5, 600.008, 601.2, 899.99]) {
  test(`${totalSeconds} s are read in stretches, each step once`, async () => {
    let readSeconds = 0;
    const levels = await readInStretches(totalSeconds, async ({ fromSeconds, toSeconds }) => {
      const lengthSeconds = Math.min(toSeconds, totalSeconds) - fromSeconds;
      readSeconds += lengthSeconds;
      // A value covers two steps.
      const values = Float32Array.from(
        { length: stepsWithin(lengthSeconds) - 1 },
        (_, step) => fromSeconds * STEPS_PER_SECOND + step,
      );
      return { startSeconds: fromSeconds, stepSeconds: STEP_SECONDS, values };
    });
    const all = Float32Array.from({ length: stepsWithin(totalSeconds) - 1 }, (_, step) => step);
    assert.deepEqual(levels?.values, all);
    assert.ok(readSeconds < totalSeconds + 0.1);
  });
}
