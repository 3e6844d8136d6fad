import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../tests/harness/random.ts';
import { movementByChance, pairedMovement } from './paired-movement.ts';

/** A normally distributed value, by G. E. P. Box and M. E. Muller. */
function bellCurve(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Each pair moves by `factor`, with noise of `spread` on the logarithm of each member. */
function noisyPairs(count: number, factor: number, spread: number, random: () => number) {
  const noise = () => Math.exp(spread * bellCurve(random));
  return Array.from({ length: count }, () => [10 * noise(), 10 * factor * noise()] as const);
}

describe('a movement between pairs', () => {
  test('is the factor that all of them have in common', () => {
    const { pairs, movement, interval } = pairedMovement(
      [10, 100, 1].map((before) => [before, 1.5 * before]),
    );
    assert.equal(pairs, 3);
    for (const value of [movement, ...interval]) assert.ok(Math.abs(value - 0.5) < 1e-9);
  });

  test('is nothing where halves and doubles take turns', () => {
    const { movement, interval } = pairedMovement([10, 20, 10, 20].map((before) => [before, 200 / before]));
    assert.ok(Math.abs(movement) < 1e-9);
    // Computed by hand: logarithms of ±ln 2, a standard error of ln 2 / √3, times 2.353.
    assert.ok(Math.abs(interval[1] - Math.expm1((2.353 * Math.LN2) / Math.sqrt(3))) < 1e-9);
  });

  test('has no bound with one pair, and no value without', () => {
    assert.deepEqual(pairedMovement([[10, 12]]).interval, [-1, Number.POSITIVE_INFINITY]);
    assert.ok(Number.isNaN(pairedMovement([]).movement));
  });

  test('lies above the upper end in one of twenty runs, with six pairs and with twenty', () => {
    const { next } = createRandom(7);
    for (const pairs of [6, 20]) {
      const runs = 4_000;
      const highs = Array.from(
        { length: runs },
        () => pairedMovement(noisyPairs(pairs, 1.2, 0.1, next)).interval[1],
      );
      const above = highs.filter((high) => high < 0.2).length;
      assert.ok(above / runs > 0.035 && above / runs < 0.065, `${pairs} pairs: ${above} of ${runs}`);
    }
  });
});

describe('the movement by chance', () => {
  test('is nothing between values that are the same, and nothing is known of one value', () => {
    assert.equal(movementByChance([5, 5, 5], 3), 0);
    assert.equal(movementByChance([5], 3), Number.POSITIVE_INFINITY);
    assert.equal(movementByChance([5, 5], 1), Number.POSITIVE_INFINITY);
  });

  test('grows with the differences of neighbours and not with a drift', () => {
    const drifting = Array.from({ length: 12 }, (_, n) => 10 * 1.02 ** n);
    const jumping = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? 10 : 13));
    assert.ok(movementByChance(drifting, 12) < 0.02);
    assert.ok(movementByChance(jumping, 12) > 0.1);
  });

  test('is exceeded by what moved nothing in one of ten runs, counted in both directions', () => {
    const { next } = createRandom(8);
    const runs = 2_000;
    const exceeded = Array.from({ length: runs }, () => {
      const pairs = noisyPairs(8, 1, 0.1, next);
      const before = pairs.map(([alone]) => alone);
      const chance = movementByChance(before, pairs.length);
      return Math.abs(Math.log1p(pairedMovement(pairs).movement)) > Math.log1p(chance);
    }).filter(Boolean).length;
    assert.ok(exceeded / runs > 0.06 && exceeded / runs < 0.14, `${exceeded} of ${runs}`);
  });
});
