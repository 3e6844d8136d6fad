/**
 * Turns a residual into samples, in place: `samples` contains `order` warm-up samples, then the residual.
 *
 * Sums are computed in 32-bit integers if they provably fit, otherwise in doubles, which are exact up to
 * 2^53: the largest sum, 32 products of a 33-bit sample and a 15-bit coefficient, stays below 2^51.
 */
export type Samples = Int32Array | Float64Array;

interface Predictor {
  /** Nearest sample first. */
  readonly coefficients: Int32Array;
  /** The sum is shifted right by this many bits, rounding down. */
  readonly shift: number;
}

interface LinearPredictor extends Predictor {
  readonly bitsPerSample: number;
}

/** The polynomial predictors of order 0 to 4 (RFC 9639 9.2.5). */
const FIXED_PREDICTORS: readonly Predictor[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]].map((row) => ({
  coefficients: Int32Array.from(row),
  shift: 0,
}));

export function restoreFixed(samples: Samples, blockSamples: number, order: number): void {
  const predictor = FIXED_PREDICTORS[order];
  if (predictor === undefined || order === 0) return;
  // Without a shift, sums that overflow in between still give the right sample if it fits.
  if (samples instanceof Int32Array) sumInIntegers(samples, blockSamples, predictor);
  else sumInDoubles(samples, blockSamples, predictor);
}

export function restoreLinear(samples: Samples, blockSamples: number, predictor: LinearPredictor): void {
  const gain = predictor.coefficients.reduce((sum, coefficient) => sum + Math.abs(coefficient), 0);
  const isSmall = gain * 2 ** (predictor.bitsPerSample - 1) < 2 ** 31;
  if (isSmall && samples instanceof Int32Array) sumInIntegers(samples, blockSamples, predictor);
  else sumInDoubles(samples, blockSamples, predictor);
}

function sumInIntegers(samples: Int32Array, end: number, predictor: Predictor): void {
  const { coefficients, shift } = predictor;
  const order = coefficients.length;
  if (order <= UNROLLED_ORDER) {
    sumUnrolled(samples, end, predictor);
    return;
  }
  for (let index = order; index < end; index++) {
    let sum = 0;
    for (let tap = 0; tap < order; tap++) {
      sum = (sum + Math.imul(coefficients[tap] ?? 0, samples[index - 1 - tap] ?? 0)) | 0;
    }
    samples[index] = (samples[index] ?? 0) + (sum >> shift);
  }
}

/** The orders that encoders use by default: a decoder spends most of its time here. */
const UNROLLED_ORDER = 8;

/** Coefficients and history stay in registers; shorter predictors are padded with zeros. */
function sumUnrolled(samples: Int32Array, end: number, { coefficients, shift }: Predictor): void {
  const order = coefficients.length;
  const [c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0] = coefficients;
  let [h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, h6 = 0, h7 = 0] = samples.slice(0, order).reverse();
  for (let index = order; index < end; index++) {
    const near = (Math.imul(c0, h0) + Math.imul(c1, h1) + Math.imul(c2, h2) + Math.imul(c3, h3)) | 0;
    const far = (Math.imul(c4, h4) + Math.imul(c5, h5) + Math.imul(c6, h6) + Math.imul(c7, h7)) | 0;
    const sample = ((samples[index] ?? 0) + (((near + far) | 0) >> shift)) | 0;
    samples[index] = sample;
    h7 = h6;
    h6 = h5;
    h5 = h4;
    h4 = h3;
    h3 = h2;
    h2 = h1;
    h1 = h0;
    h0 = sample;
  }
}

function sumInDoubles(samples: Samples, end: number, predictor: Predictor): void {
  const { coefficients, shift } = predictor;
  const order = coefficients.length;
  if (order <= UNROLLED_ORDER) {
    sumUnrolledInDoubles(samples, end, predictor);
    return;
  }
  const scale = 2 ** -shift;
  for (let index = order; index < end; index++) {
    let sum = 0;
    for (let tap = 0; tap < order; tap++) {
      sum += (coefficients[tap] ?? 0) * (samples[index - 1 - tap] ?? 0);
    }
    samples[index] = (samples[index] ?? 0) + Math.floor(sum * scale);
  }
}

function sumUnrolledInDoubles(samples: Samples, end: number, { coefficients, shift }: Predictor): void {
  const order = coefficients.length;
  const scale = 2 ** -shift;
  const [c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0] = coefficients;
  let [h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, h6 = 0, h7 = 0] = samples.slice(0, order).reverse();
  for (let index = order; index < end; index++) {
    const near = c0 * h0 + c1 * h1 + c2 * h2 + c3 * h3;
    const far = c4 * h4 + c5 * h5 + c6 * h6 + c7 * h7;
    const sample = (samples[index] ?? 0) + Math.floor((near + far) * scale);
    samples[index] = sample;
    h7 = h6;
    h6 = h5;
    h5 = h4;
    h4 = h3;
    h3 = h2;
    h2 = h1;
    h1 = h0;
    h0 = sample;
  }
}
