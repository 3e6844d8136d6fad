import { type BitReader, brokenFrame, readBits, readSigned, readUnary } from './bit-reader.ts';
import { restoreFixed, restoreLinear, type Samples } from './prediction.ts';
import { type ResidualTarget, readResidual } from './residual.ts';

const CONSTANT = 0;
const VERBATIM = 1;
const FIXED = 8;
const MAX_FIXED_ORDER = 4;
const LINEAR = 32;
const PRECISION_FORBIDDEN = 15;

/** `residual` is the same array as `samples`, unless samples have more bits than residuals may have. */
interface SubframeTarget extends ResidualTarget {
  readonly samples: Samples;
}

/** The samples that a predictor starts from. */
interface WarmUp {
  readonly order: number;
  readonly bitsPerSample: number;
}

/** Reads a subframe (RFC 9639 9.2) into `target.samples`. */
export function readSubframe(reader: BitReader, target: SubframeTarget, codedBits: number): void {
  const { samples, blockSamples } = target;
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
    readLinear(reader, target, { order: type - LINEAR + 1, bitsPerSample });
  } else if (type >= FIXED && type <= FIXED + MAX_FIXED_ORDER) {
    const order = type - FIXED;
    readWarmUp(reader, target, { order, bitsPerSample });
    readPredicted(reader, target, order);
    restoreFixed(samples, blockSamples, order);
  } else {
    throw brokenFrame();
  }
  if (wastedBits > 0) {
    const factor = 2 ** wastedBits;
    for (let index = 0; index < blockSamples; index++) samples[index] = (samples[index] ?? 0) * factor;
  }
}

function readLinear(reader: BitReader, target: SubframeTarget, warmUp: WarmUp): void {
  const { order, bitsPerSample } = warmUp;
  readWarmUp(reader, target, warmUp);
  const precisionCode = readBits(reader, 4);
  const shift = readSigned(reader, 5);
  if (precisionCode === PRECISION_FORBIDDEN || shift < 0) throw brokenFrame();
  const coefficients = new Int32Array(order);
  for (let tap = 0; tap < order; tap++) coefficients[tap] = readSigned(reader, precisionCode + 1);
  readPredicted(reader, target, order);
  restoreLinear(target.samples, target.blockSamples, { coefficients, shift, bitsPerSample });
}

function readWarmUp(
  reader: BitReader,
  { samples, blockSamples }: SubframeTarget,
  { order, bitsPerSample }: WarmUp,
): void {
  if (order > blockSamples) throw brokenFrame();
  for (let index = 0; index < order; index++) samples[index] = readSigned(reader, bitsPerSample);
}

function readPredicted(reader: BitReader, target: SubframeTarget, order: number): void {
  const { samples, residual, blockSamples } = target;
  readResidual(reader, target, order);
  if (samples === residual) return;
  for (let index = order; index < blockSamples; index++) samples[index] = residual[index] ?? 0;
}
