/** A seeded generator (Marsaglia's xorshift128): the same seed gives the same run. */
export interface Random {
  uint32(): number;
  /** 0 to `limit` - 1. */
  below(limit: number): number;
  /** True once in `times`. */
  oneIn(times: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  let x = seed | 0 || 0x9e3779b9;
  let y = 0x6c078965;
  let z = 0x2545f491;
  let w = 0x5851f42d;

  function uint32(): number {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w ^= (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  }

  // Seeds that differ in a few bits give states that do, until they have been mixed.
  for (let round = 0; round < 32; round++) uint32();
  const below = (limit: number): number => Math.floor((uint32() / 2 ** 32) * limit);
  return {
    uint32,
    below,
    oneIn: (times) => below(times) === 0,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
