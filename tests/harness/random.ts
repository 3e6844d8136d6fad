/** Generates all random numbers of a run: one seed, one sequence. */
export type Random = ReturnType<typeof createRandom>;

/** Mulberry32 over a scrambled seed, so that neighbouring seeds give unrelated sequences. */
export function createRandom(seed: number) {
  let state = scramble(seed);
  /** From 0 up to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** From `low` up to and including `high`. */
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (probability: number) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      const choice = choices[between(0, choices.length - 1)];
      if (choice === undefined) throw new RangeError('nothing to pick from');
      return choice;
    },
    bytes: (count: number) => Buffer.from(Array.from({ length: count }, () => between(0, 255))),
  };
}

function scramble(seed: number): number {
  let mixed = (seed ^ 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
