/**
 * Estimates from a few pairs by what factor a value moves from one member of a pair to the other.
 *
 * Each pair gives one observation, the logarithm of its ratio, so that a halving weighs as much as a
 * doubling. The movement is their mean, and its interval is Student's t over the pairs. A pair counts once,
 * regardless of its number of requests: requests of one second share the state of the machine, so intervals
 * from single requests are far too narrow. So is a bootstrap over six pairs.
 *
 * The interval covers 90 %, so each of its ends is a 95 % bound. "Moves by less than the goal" holds when the
 * upper end is below the goal, and is wrong in at most one run of twenty: the upper one of the two one-sided
 * tests of D. J. Schuirmann (J. Pharmacokinet. Biopharm. 15, 1987, 657–680), as in the FDA's guidance on
 * bioequivalence (Statistical Approaches to Establishing Bioequivalence, 2001).
 *
 * One pair far from the others widens the interval, so that the run is inconclusive. Causes that all pairs
 * share are not detected; against them the order within pairs alternates.
 */

/**
 * The 95 % quantiles of Student's t for 1, 2, 3 … degrees of freedom. The last one is also used for more, and
 * is slightly too wide then.
 */
const T_95 = [
  6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753,
  1.746, 1.74, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697,
] as const;

/**
 * Fractions: .2 is 20 %. With one pair the interval goes from -1 to Infinity; without pairs all values are
 * NaN.
 */
export function pairedMovement(pairs: readonly (readonly [before: number, after: number])[]) {
  const logs = pairs.map(([before, after]) => Math.log(after / before));
  const mean = sum(logs) / logs.length;
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const reach =
    logs.length < 2 ? Number.POSITIVE_INFINITY : t95(logs.length - 1) * Math.sqrt(variance / logs.length);
  const interval = [Math.expm1(mean - reach), Math.expm1(mean + reach)] as const;
  return { pairs: logs.length, movement: Math.expm1(mean), interval };
}

/**
 * The movement that the same number of pairs would show in one run of twenty by chance. It is estimated from
 * undisturbed values in their order: their spread is that of neighbours (J. von Neumann's mean square
 * successive difference, Ann. Math. Statist. 12, 1941, 153–162), so that it excludes a slow drift, which
 * pairs cancel. Infinity with fewer than two values.
 */
export function movementByChance(undisturbed: readonly number[], pairs: number): number {
  const steps = undisturbed.slice(1).map((value, n) => Math.log(value / (undisturbed[n] ?? Number.NaN)));
  if (steps.length === 0 || pairs < 2) return Number.POSITIVE_INFINITY;
  const meanSquare = sum(steps.map((step) => step ** 2)) / steps.length;
  return Math.expm1(t95(pairs - 1) * Math.sqrt(meanSquare / pairs));
}

function t95(degreesOfFreedom: number): number {
  return T_95[Math.min(degreesOfFreedom, T_95.length) - 1] ?? Number.NaN;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
