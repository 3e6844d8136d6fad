import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitPartCosts, type ScaleScenario, simulateJob } from './scale-model.ts';

const FREE = { preparingPerSecond: 0, partOverheadSeconds: 0, partPerSecond: 0.01, offerSeconds: 0 };
const AN_HOUR: ScaleScenario = {
  soundSeconds: 3_600,
  partSeconds: 300,
  sourceBytesPerSecond: 16_000,
  storeBytesPerSecond: 1e9,
  offersAtOnce: 5,
};

describe('the model of one job on many splitters', () => {
  test('without overhead, parts that come out even scale by the number of workers', () => {
    for (const workers of [1, 2, 4, 12]) {
      const seconds = simulateJob(workers, FREE, AN_HOUR);
      assert.equal(Math.round((36_000 / workers) * 1e3), Math.round(seconds * 1e6));
    }
  });

  test('no more workers help than there are parts, and the last part is waited for', () => {
    const twelve = simulateJob(12, FREE, AN_HOUR);
    assert.equal(simulateJob(64, FREE, AN_HOUR), twelve);
    assert.equal(Math.round(simulateJob(11, FREE, AN_HOUR) / twelve), 2);
  });

  test('what is prepared alone is not divided', () => {
    const costs = { ...FREE, preparingPerSecond: 0.001 };
    assert.ok(Math.abs(simulateJob(12, costs, AN_HOUR) - (3.6 + 3)) < 1e-9);
  });

  test('a store that is too slow for all of them holds them up', () => {
    const slow = { ...AN_HOUR, storeBytesPerSecond: 1e6 };
    assert.ok(Math.abs(simulateJob(12, FREE, slow) - (3_600 * 16_000) / 1e6) < 1e-6);
  });

  test('each offer takes its moment, a few at once', () => {
    const costs = { ...FREE, offerSeconds: 1 };
    // Workers 6 to 10 get their offers after two seconds; the last part goes to the first worker, which is
    // idle by then.
    assert.ok(Math.abs(simulateJob(12, costs, AN_HOUR) - (3 + 3)) < 1e-9);
  });
});

test('the costs of parts are the line through their times', () => {
  const parts = [60, 300, 300].map((soundSeconds) => ({
    soundSeconds,
    tookSeconds: 0.5 + soundSeconds * 0.02,
  }));
  const { partOverheadSeconds, partPerSecond } = fitPartCosts(parts);
  assert.ok(Math.abs(partOverheadSeconds - 0.5) < 1e-9 && Math.abs(partPerSecond - 0.02) < 1e-9);
  assert.throws(() => fitPartCosts([{ soundSeconds: 1, tookSeconds: 1 }]), RangeError);
});
