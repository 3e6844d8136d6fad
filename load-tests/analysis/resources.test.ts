import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../tests/harness/random.ts';
import type { MeasureName } from './resource-measures.ts';
import { analyseResources, LEAST_SAMPLES, type ProcessSeries } from './resources.ts';

const EVERY_MS = 15_000;
const HALF_AN_HOUR = 120;

interface Shape {
  readonly measure?: MeasureName;
  readonly looks?: number;
  /** By the number of the sample. */
  readonly value: (look: number, noise: number) => number;
  /** A major collection happens every this many samples; 0: never. */
  readonly collectedEvery?: number;
  readonly changes?: Partial<ProcessSeries>;
}

function seriesOf({
  measure = 'resident',
  looks = HALF_AN_HOUR,
  value,
  collectedEvery = 4,
  changes,
}: Shape): ProcessSeries {
  const { next } = createRandom(11);
  return {
    name: 'jobs',
    missed: 0,
    samples: Array.from({ length: looks }, (_, look) => ({
      atMs: look * EVERY_MS,
      startedAtSeconds: 1,
      majorCollections: collectedEvery === 0 ? 0 : Math.floor(look / collectedEvery),
      values: { [measure]: value(look, 2 * next() - 1) },
    })),
    ...changes,
  };
}

function judged(shape: Shape) {
  return analyseResources([seriesOf(shape)], { isJudged: true });
}

describe('what a process holds', () => {
  test('is flat where it goes up and down, and where it has grown in the first quarter', () => {
    const noisy = judged({ value: (_, noise) => 150 + 20 * noise });
    assert.deepEqual([noisy.violations, noisy.doubts], [[], []]);
    const warmed = judged({ value: (look, noise) => Math.min(150, 60 + 4 * look) + 5 * noise });
    assert.deepEqual([warmed.violations, warmed.doubts], [[], []]);
    assert.equal(warmed.processes[0]?.trends[0]?.outcome, 'flat');
  });

  test('fails the run when it leaks, faster than the findings say can be seen', () => {
    const leaking = (megabytesAnHour: number) =>
      judged({ value: (look, noise) => 150 + (megabytesAnHour * look) / 240 + 10 * noise });
    const { visibleLeakPerHour = Number.NaN, violations, doubts } = leaking(0);
    assert.deepEqual([violations, doubts], [[], []]);
    assert.ok(visibleLeakPerHour > 90 && visibleLeakPerHour < 110, String(visibleLeakPerHour));
    assert.deepEqual(leaking(visibleLeakPerHour / 2).violations, []);
    assert.match(
      leaking(visibleLeakPerHour * 1.5).violations.join(),
      /^jobs: resident memory grew from 1\d\d\.\d MB to 2\d\d\.\d MB over half of the run, where 2\d\.\d MB more are allowed$/,
    );
  });

  test('leaks half as fast at most in a run of twice the length', () => {
    const flat = { value: () => 150 };
    const short = judged(flat).visibleLeakPerHour ?? Number.NaN;
    const long = judged({ ...flat, looks: 2 * HALF_AN_HOUR }).visibleLeakPerHour ?? Number.NaN;
    assert.ok(Math.abs(short / long - 2) < 0.02);
  });

  test('is no leak where garbage is collected, however much there is of it', () => {
    const { violations, doubts } = judged({
      measure: 'heap',
      value: (look) => 50 + 10 * (look % 15),
      collectedEvery: 15,
    });
    assert.deepEqual([violations, doubts], [[], []]);
  });

  test('may be garbage as long as nothing was collected, and is a leak when it stays', () => {
    const growing = { measure: 'heap', value: (look: number) => 50 + look } as const;
    const never = judged({ ...growing, collectedEvery: 0 });
    assert.deepEqual(never.violations, []);
    assert.match(
      never.doubts.join(),
      /heap in use grew .*, but no garbage was collected in the last quarter/,
    );
    assert.match(judged(growing).violations.join(), /heap in use grew from 80\.0 MB to 140\.0 MB/);
  });

  for (const measure of ['descriptors', 'handles', 'connections', 'outbox', 'lag', 'queued'] as const) {
    test(`fails the run when one more of them is left behind every minute: ${measure}`, () => {
      const left = judged({ measure, value: (look) => 5 + Math.floor(look / 4), collectedEvery: 0 });
      assert.match(left.violations.join(), /^jobs: .* grew from 1\d\.0 to 3\d\.0/);
      assert.deepEqual(judged({ measure, value: (look) => 5 + (look % 4) }).violations, []);
    });
  }

  test('is not judged by a run with few looks in a quarter', () => {
    const looks = 4 * LEAST_SAMPLES - 4;
    const { violations, doubts, processes } = judged({ looks, value: (look) => 100 * (look + 1) });
    assert.deepEqual(violations, []);
    assert.match(
      doubts.join(),
      /a quarter of the run has 7 looks only at what is held by jobs; 8 are needed/,
    );
    assert.equal(processes[0]?.trends[0]?.outcome, 'shown');
  });

  test('is not judged of processes that do not answer, or of none', () => {
    const deaf = judged({ value: () => 1, changes: { missed: 20 } });
    assert.match(deaf.doubts.join(), /jobs gave no answer to 20 of 140 looks/);
    const silent = analyseResources([{ name: 'jobs', samples: [], missed: 9 }], { isJudged: true });
    assert.match(silent.doubts.join(), /jobs gave no answer to 9 of 9 looks/);
    assert.match(analyseResources([], { isJudged: true }).doubts.join(), /nothing was read/);
  });

  test('is forgotten by a process that was started again, which fails the run', () => {
    const { samples } = seriesOf({ value: () => 100 });
    const again = samples.map((sample, n) => (n < 60 ? sample : { ...sample, startedAtSeconds: 2 }));
    const { violations } = judged({ value: () => 100, changes: { samples: again } });
    assert.match(violations.join(), /jobs was started again during the run/);
  });

  test('is shown and not judged in profiles that are about something else', () => {
    const { violations, doubts, processes, visibleLeakPerHour } = analyseResources(
      [seriesOf({ value: (look) => 100 * (look + 1) })],
      { isJudged: false },
    );
    assert.deepEqual([violations, doubts, visibleLeakPerHour], [[], [], undefined]);
    assert.equal(processes[0]?.trends[0]?.outcome, 'shown');
    assert.ok((processes[0]?.trends[0]?.after ?? 0) > 10_000);
  });
});
