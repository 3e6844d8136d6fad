import { type BitReader, brokenFrame, readBits, readSigned, readUnary } from './bit-reader.ts';
import { restoreFixed, restoreLinear, type Samples } from './prediction.ts';
import { readResidual } from './residual.ts';

const CONSTANT = 0;
const VERBATIM = 1;
const FIXED = 8;
const MAX_FIXED_ORDER = 4;
const LINEAR = 32;
const PRECISION_FORBIDDEN = 15;

/**
 * Reads a subframe (RFC 9639 9.2) into `samples`. `residual` is the same array, unless samples have more bits
 * than residuals may have.
 */
export function readSubframe(
  reader: BitReader,
  samples: Samples,
  residual: Int32Array,
  blockSamples: number,
  codedBits: number,
): void {
  if (readBits(reader, 1) !== 0) throw brokenFrame();
  const type = readBits(reader, 6);
  const wastedBits = readBits(reader, 1) === 1 ? readUnary(reader) + 1 : 0;
  const bitsPerSample = codedBits - wastedBits;
  if (bitsPerSample <= 0) throw brokenFrame();
  if (type === CONSTANT) {
    samples.fill(readSigned(reader, bitsPerSample), 0, blockSamples);
  } else if (type === VERBATIM) {
    for (let index = 0; index < blockSamples; index++) samples[index] = readSigned(reader, bitsPerSample);
  } else if (type >= LINEAR) {
    readLinear(reader, samples, residual, blockSamples, bitsPerSample, type - LINEAR + 1);
  } else if (type >= FIXED && type <= FIXED + MAX_FIXED_ORDER) {
    const order = type - FIXED;
    readWarmUp(reader, samples, blockSamples, bitsPerSample, order);
    readPredicted(reader, samples, residual, blockSamples, order);
    restoreFixed(samples, blockSamples, order);
  } else {
    throw brokenFrame();
  }
  if (wastedBits > 0) {
    const factor = 2 ** wastedBits;
    for (let index = 0; index < blockSamples; index++) samples[index] = (samples[index] ?? 0) * factor;
  }
}

function readLinear(
  reader: BitReader,
  samples: Samples,
  residual: Int32Array,
  blockSamples: number,
  bitsPerSample: number,
  order: number,
): void {
  readWarmUp(reader, samples, blockSamples, bitsPerSample, order);
  const precisionCode = readBits(reader, 4);
  const shift = readSigned(reader, 5);
  if (precisionCode === PRECISION_FORBIDDEN || shift < 0) throw brokenFrame();
  const coefficients = new Int32Array(order);
  for (let tap = 0; tap < order; tap++) coefficients[tap] = readSigned(reader, precisionCode + 1);
  readPredicted(reader, samples, residual, blockSamples, order);
  restoreLinear(samples, blockSamples, coefficients, shift, bitsPerSample);
}

function readWarmUp(
  reader: BitReader,
  samples: Samples,
  blockSamples: number,
  bitsPerSample: number,
  order: number,
): void {
  if (order > blockSamples) throw brokenFrame();
  for (let index = 0; index < order; index++) samples[index] = readSigned(reader, bitsPerSample);
}

function readPredicted(
  reader: BitReader,
  samples: Samples,
  residual: Int32Array,
  blockSamples: number,
  order: number,
): void {
  readResidual(reader, residual, blockSamples, order);
  if (samples === residual) return;
  for (let index = order; index < blockSamples; index++) samples[index] = residual[index] ?? 0;
}
