import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { divideHalfUp, overageCents, prorationCents } from './money.ts';

describe('money', () => {
  // Covers D-5.25 I-2.0.4
  it('is rounded half up, once, from exact integers', () => {
    for (const [numerator, denominator, expected] of [
      [1n, 2n, 1n],
      [149n, 100n, 1n],
      [150n, 100n, 2n],
      [-1n, 2n, 0n],
      [-151n, 100n, -2n],
    ] as const) {
      assert.equal(divideHalfUp(numerator, denominator), expected, `${numerator} / ${denominator}`);
    }
    fc.assert(
      fc.property(
        fc.bigInt(-(10n ** 20n), 10n ** 20n),
        fc.bigInt(1n, 10n ** 12n),
        (numerator, denominator) => {
          // The only integer from half below to less than half above the quotient.
          const twiceOff = 2n * (divideHalfUp(numerator, denominator) * denominator - numerator);
          assert.ok(twiceOff > -denominator && twiceOff <= denominator);
        },
      ),
    );
  });

  // Covers D-3.9 D-5.25 I-8.13 I-8.14
  it('for minutes beyond the plan uses the price of the plan', () => {
    for (const [minutes, millicentsPerMinute, cents] of [
      [100, 2_000, 200],
      [100, 1_000, 100],
      [1, 800, 1],
      [2, 800, 2],
      [3, 800, 2],
      [1_000, 800, 800],
      [0, 800, 0],
      [5, undefined, 0],
    ] as const) {
      assert.equal(overageCents(minutes, millicentsPerMinute), cents, `${minutes} at ${millicentsPerMinute}`);
    }
  });

  // Covers D-5.13
  it('for an upgrade is the difference for the remaining seconds', () => {
    const start = new Date('2026-04-01T00:00:00Z');
    const end = new Date('2026-05-01T00:00:00Z');
    const seconds = 30 * 86_400;
    const prices = { oldCents: 900, newCents: 4_900 };
    const after = (elapsed: number) =>
      prorationCents(prices, { start, end }, new Date(start.getTime() + elapsed * 1_000));
    assert.deepEqual([after(0), after(seconds / 2), after(seconds)], [4_000, 2_000, 0]);
    // A cent is 648 s: half of it is rounded up, a second less is not.
    assert.deepEqual([after(seconds - 324), after(seconds - 323)], [1, 0]);
  });
});
