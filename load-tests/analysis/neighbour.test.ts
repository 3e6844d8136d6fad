import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../deploy/simulation/random.ts';
import { analyseNeighbour } from './neighbour.ts';

const PER_WINDOW = 1_000;
const seeded = () => createRandom(1).next;

/** Of each thousand requests twenty are slow: so many times `slowMs` as the window's factor says. */
function windowsOf(factors: readonly number[]) {
  return factors.flatMap((factor, window) =>
    Array.from({ length: PER_WINDOW }, (_, n) => ({
      window: String(window),
      atMs: (window * PER_WINDOW + n) * 20,
      durationMs: (n % 50 === 0 ? 100 : 5) * factor,
    })),
  );
}

describe('the neighbour of an account that floods', () => {
  test('is not moved by what moves both sides', () => {
    const found = analyseNeighbour(windowsOf([1, 1, 3, 3, 1, 1, 1, 1]), [], seeded());
    assert.equal(found.movement, 0);
    assert.deepEqual(found.violations, []);
    assert.equal(found.alone.count, 4 * PER_WINDOW);
  });

  test('is moved by what the floods do', () => {
    const found = analyseNeighbour(windowsOf([1, 1.5, 1, 1.5, 1, 1.5]), [], seeded());
    assert.ok(Math.abs(found.movement - 0.5) < 1e-9);
    assert.ok(found.movementInterval[0] > 0.4 && found.movementInterval[1] < 0.6);
    assert.equal(found.movementByChance, 0);
    assert.match(found.violations.join(), /went from 100\.0 to 150\.0 ms, by 50 %/);
  });

  test('has an interval as wide as its windows differ', () => {
    const found = analyseNeighbour(windowsOf([1, 1, 2, 2, 1, 1, 2, 2]), [], seeded());
    const [low, high] = found.movementInterval;
    assert.ok(low < 0 && high > 0, `${low} to ${high}`);
  });

  test('is told apart by what became of the flood in the same second', () => {
    const second = 1_000;
    const quiet = [
      { window: '0', atMs: 0, durationMs: 5 },
      { window: '1', atMs: 20 * second, durationMs: 30 },
      { window: '1', atMs: 20 * second + 999, durationMs: 30 },
      { window: '1', atMs: 21 * second, durationMs: 6 },
    ];
    const flooder = [
      { atMs: 20 * second + 500, isRefused: true },
      { atMs: 20 * second + 501, isRefused: false },
      { atMs: 21 * second + 1, isRefused: true },
    ];
    const { letThrough, refused } = analyseNeighbour(quiet, flooder, seeded(), 1);
    assert.deepEqual([letThrough.count, letThrough.p99Ms], [2, 30]);
    assert.deepEqual([refused.count, refused.p99Ms], [1, 6]);
  });

  test('may be moved by less than a fifth', () => {
    assert.deepEqual(analyseNeighbour(windowsOf([1, 1.19, 1, 1.19, 1, 1.19]), [], seeded()).violations, []);
    assert.equal(analyseNeighbour(windowsOf([1, 1.21, 1, 1.21, 1, 1.21]), [], seeded()).violations.length, 1);
  });

  test('tells nothing from few requests', () => {
    const { violations } = analyseNeighbour(windowsOf([1, 1, 1]), [], seeded());
    assert.match(violations.join(), /rests on 1000 requests; 3000 are needed/);
  });

  test('leaves out what was asked while a window settled, or outside of all windows', () => {
    const requests = [
      ...windowsOf([1, 1]),
      { window: 'settling', atMs: 0, durationMs: 9_000 },
      { window: undefined, atMs: 0, durationMs: 9_000 },
    ];
    const found = analyseNeighbour(requests, [], seeded(), 1);
    assert.equal(found.alone.count + found.flooded.count, 2 * PER_WINDOW);
    assert.deepEqual(
      found.windows.map(({ number, isFlooded }) => [number, isFlooded]),
      [
        [0, false],
        [1, true],
      ],
    );
  });
});
