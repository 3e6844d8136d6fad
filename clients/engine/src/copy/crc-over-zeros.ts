/**
 * The state of a checksum after a run of zero bytes, without processing each byte: the effect of a run of 2^i
 * bytes is precomputed for each i, and a run of any length is a sequence of such runs.
 */
const RUNS = 32;

/**
 * `multiply` multiplies the checksum's polynomials modulo its generator. The result is a result of
 * `multiply`, or `crc` itself.
 */
export function createCrcOverZeros(
  multiply: (a: number, b: number) => number,
): (crc: number, byteCount: number) => number {
  /** x to the power of 8 * 2^i. */
  const zeroRuns: number[] = [];
  for (let factor = 0x100; zeroRuns.length < RUNS; factor = multiply(factor, factor)) zeroRuns.push(factor);
  return (crc, byteCount) => {
    let shifted = crc;
    for (let rest = byteCount, run = 0; rest > 0; rest >>>= 1, run++) {
      if (rest & 1) shifted = multiply(shifted, zeroRuns[run] ?? 0);
    }
    return shifted;
  };
}
