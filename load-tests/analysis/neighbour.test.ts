import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../tests/harness/random.ts';
import { isFloodedPhase } from '../profiles/noisy-neighbour.ts';
import { analyseNeighbour, LEAST_PAIRS, LEAST_REQUESTS, type QuietRequest } from './neighbour.ts';

const ENOUGH = 2 * LEAST_PAIRS + 2;

interface Series {
  readonly phases?: number;
  readonly perPhase?: number;
  /** The ratio of flooded phases to phases alone. */
  readonly factor: number;
  /** Phases differ by up to this much, in both directions. */
  readonly noise: number;
  /** The change from one phase to the next. */
  readonly drift?: number;
}

/** Latencies with a long tail, equally many in every phase. */
function seriesOf({ phases = ENOUGH, perPhase = LEAST_REQUESTS, factor, noise, drift = 1 }: Series) {
  const { next } = createRandom(3);
  return Array.from({ length: phases }, (_, phase) => {
    const slowness = drift ** phase * (1 + noise * (2 * next() - 1)) * (isFloodedPhase(phase) ? factor : 1);
    return Array.from({ length: perPhase }, (_, n): QuietRequest => {
      const durationMs = 4 * slowness * (1 - next()) ** -0.25;
      return { window: String(phase), atMs: phase * 60_000 + n, durationMs };
    });
  }).flat();
}

describe('the neighbour of an account that floods', () => {
  test('has not been moved when noise is all there is', () => {
    const noise = seriesOf({ factor: 1, noise: 0.1 });
    const { movement, movementInterval, violations, doubts } = analyseNeighbour(noise, []);
    assert.deepEqual([violations, doubts], [[], []]);
    assert.ok(movementInterval[0] < 0 && movementInterval[1] > movement && movementInterval[1] < 0.2);
  });

  test('has been moved by half', () => {
    const { movement, violations, doubts } = analyseNeighbour(seriesOf({ factor: 1.5, noise: 0.1 }), []);
    assert.ok(movement > 0.4 && movement < 0.6, String(movement));
    assert.deepEqual(doubts, []);
    assert.match(violations.join(), /moved by \d+ % \(\d+ % to \d+ %\), where less than 20 % are allowed/);
  });

  test('cannot be judged while the goal is within the interval, on whichever side of it the middle is', () => {
    for (const factor of [1.1, 1.2, 1.3]) {
      const { violations, doubts } = analyseNeighbour(seriesOf({ factor, noise: 0.4 }), []);
      assert.deepEqual(violations, []);
      assert.match(doubts.join(), /both less and not less than the 20 %/, String(factor));
    }
  });

  test('cannot be judged while minutes alone differ by as much as is looked for', () => {
    const { next } = createRandom(5);
    // A disturbance of a pair affects both of its members.
    const byPair = Array.from({ length: ENOUGH / 2 }, () => 1 + 2 * next());
    const requests = seriesOf({ factor: 1, noise: 0 }).map((request) => ({
      ...request,
      durationMs: request.durationMs * (byPair[Math.floor(Number(request.window) / 2)] ?? 1),
    }));
    const { movementInterval, violations, doubts } = analyseNeighbour(requests, []);
    assert.ok(movementInterval[1] < 0.2);
    assert.deepEqual(violations, []);
    assert.match(doubts.join(), /minutes alone differ from one another so much/);
  });

  test('cannot be judged by a run that is too short, or asks too little', () => {
    const short = analyseNeighbour(seriesOf({ phases: 2, factor: 1.5, noise: 0 }), []);
    assert.deepEqual([short.violations, short.pairs], [[], 1]);
    assert.match(short.doubts.join(), /from 1 pairs of minutes; 5 are needed/);
    const thin = analyseNeighbour(seriesOf({ perPhase: 500, factor: 1, noise: 0 }), []);
    assert.deepEqual(thin.violations, []);
    assert.match(thin.doubts.join(), /rests on 500 requests; 2000 are needed/);
    assert.match(analyseNeighbour([], []).doubts.join(), /from 0 pairs/);
  });

  test('is not moved by a machine that gets slower all the while', () => {
    const [even, drifting] = [1, 1.03].map((drift) =>
      analyseNeighbour(seriesOf({ factor: 1, noise: 0, drift }), []),
    );
    assert.ok(even && drifting && Math.abs(drifting.movement - even.movement) < 1e-3);
    assert.deepEqual([drifting.violations, drifting.doubts], [[], []]);
  });

  test('is separated by what became of the flood in the same second', () => {
    const second = 1_000;
    const quiet = [
      { window: '0', atMs: 0, durationMs: 5 },
      { window: '1', atMs: 20 * second, durationMs: 30 },
      { window: '1', atMs: 20 * second + 999, durationMs: 30 },
      { window: '1', atMs: 21 * second, durationMs: 6 },
    ];
    const flooder = [
      { atMs: 20 * second + 500, status: 429 },
      { atMs: 20 * second + 501, status: 200 },
      { atMs: 21 * second + 1, status: 429 },
    ];
    const { letThrough, refused } = analyseNeighbour(quiet, flooder);
    assert.deepEqual([letThrough.count, letThrough.p99Ms], [2, 30]);
    assert.deepEqual([refused.count, refused.p99Ms], [1, 6]);
  });

  test('leaves out what was asked between phases, or before them', () => {
    const requests = [
      ...seriesOf({ phases: 2, perPhase: 10, factor: 1, noise: 0 }),
      { window: 'gap', atMs: 0, durationMs: 9_000 },
      { window: 'warm-up', atMs: 0, durationMs: 9_000 },
      { window: undefined, atMs: 0, durationMs: 9_000 },
    ];
    const { alone, flooded, phases } = analyseNeighbour(requests, []);
    assert.equal(alone.count + flooded.count, 20);
    const kinds = phases.map(({ number, isFlooded }) => `${number} ${isFlooded}`);
    assert.deepEqual(kinds, ['0 false', '1 true']);
  });
});
