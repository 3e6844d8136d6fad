import { type BitWriter, writeBits, writeUnary } from './bit-writer.ts';

/** Samples [from, to) of one channel. */
export interface SampleRun {
  readonly samples: Int32Array;
  readonly from: number;
  readonly to: number;
}

/**
 * The subframe chosen for a run of samples: constant, or the polynomial predictor with the smallest residual
 * in one Rice partition, or the plain samples. Its exact size in bits is known before anything is written.
 */
export interface Subframe {
  readonly run: SampleRun;
  readonly bitCount: number;
  readonly coding: Coding;
  readonly bitsPerSample: number;
  /** Zero bits at the end of every sample, which are not stored. */
  readonly wastedBits: number;
}

type Coding =
  | { readonly kind: 'constant' }
  | { readonly kind: 'verbatim' }
  | {
      readonly kind: 'fixed';
      readonly order: number;
      readonly riceParameter: number;
      /** Folded: 0, -1, 1, -2, … are 0, 1, 2, 3, … */
      readonly residual: Uint32Array;
    };

const CONSTANT_TYPE = 0;
const VERBATIM_TYPE = 1;
const FIXED_TYPE = 8;
const HEADER_BITS = 8;
const MAX_ORDER = 4;
/** Coding method and partition order. */
const RESIDUAL_HEADER_BITS = 6;
const MAX_RICE_PARAMETER = 30;
/** From this value on, parameters take five bits instead of four; the highest value is the escape code. */
const FIRST_LONG_PARAMETER = 15;

/** Chooses for samples of at most `codedBits` bits (32 at most). */
export function planSubframe(run: SampleRun, codedBits: number): Subframe {
  const wastedBits = countWastedBits(run, codedBits);
  const bitsPerSample = codedBits - wastedBits;
  const headerBits = HEADER_BITS + wastedBits;
  const shared = { run, bitsPerSample, wastedBits };
  if (isConstant(run)) {
    return { ...shared, bitCount: headerBits + bitsPerSample, coding: { kind: 'constant' } };
  }
  const sampleCount = run.to - run.from;
  const verbatimBits = headerBits + sampleCount * bitsPerSample;
  const verbatim: Subframe = { ...shared, bitCount: verbatimBits, coding: { kind: 'verbatim' } };
  // Each order may double the residual, which must fit into 32 bits (RFC 9639 9.2.7.3).
  const maxOrder = Math.min(MAX_ORDER, 31 - bitsPerSample, sampleCount - 1);
  if (maxOrder < 0) return verbatim;
  const order = bestOrder(run, wastedBits, maxOrder);
  const residual = foldedResidual(run, wastedBits, order);
  const { riceParameter, residualBits } = planRice(residual);
  const fixedBits = headerBits + order * bitsPerSample + RESIDUAL_HEADER_BITS + residualBits;
  if (fixedBits >= verbatimBits) return verbatim;
  const coding: Coding = { kind: 'fixed', order, riceParameter, residual };
  return { ...shared, bitCount: fixedBits, coding };
}

export function writeSubframe(
  writer: BitWriter,
  { run: { samples, from, to }, coding, bitsPerSample, wastedBits }: Subframe,
): void {
  writeBits(writer, typeCode(coding), 7);
  writeBits(writer, wastedBits > 0 ? 1 : 0, 1);
  if (wastedBits > 0) writeUnary(writer, wastedBits - 1);
  const writePlain = (start: number, end: number): void => {
    for (let index = start; index < end; index++) {
      writeBits(writer, (samples[index] ?? 0) >> wastedBits, bitsPerSample);
    }
  };
  switch (coding.kind) {
    case 'constant':
      writePlain(from, from + 1);
      break;
    case 'verbatim':
      writePlain(from, to);
      break;
    case 'fixed':
      writePlain(from, from + coding.order);
      writeResidual(writer, coding);
      break;
    default:
      coding satisfies never;
  }
}

function typeCode(coding: Coding): number {
  switch (coding.kind) {
    case 'constant':
      return CONSTANT_TYPE;
    case 'verbatim':
      return VERBATIM_TYPE;
    case 'fixed':
      return FIXED_TYPE + coding.order;
    default:
      return coding satisfies never;
  }
}

function writeResidual(
  writer: BitWriter,
  { riceParameter, residual }: Extract<Coding, { readonly kind: 'fixed' }>,
): void {
  const isLong = riceParameter >= FIRST_LONG_PARAMETER;
  writeBits(writer, isLong ? 1 : 0, 2);
  writeBits(writer, 0, 4);
  writeBits(writer, riceParameter, isLong ? 5 : 4);
  for (const folded of residual) {
    writeUnary(writer, folded >>> riceParameter);
    writeBits(writer, folded, riceParameter);
  }
}

function countWastedBits({ samples, from, to }: SampleRun, codedBits: number): number {
  let used = 0;
  for (let index = from; index < to; index++) used |= samples[index] ?? 0;
  return used === 0 ? 0 : Math.min(codedBits - 1, 31 - Math.clz32(used & -used));
}

function isConstant({ samples, from, to }: SampleRun): boolean {
  const first = samples[from];
  for (let index = from + 1; index < to; index++) if (samples[index] !== first) return false;
  return true;
}

/** The order whose residual has the smallest sum over the samples that all orders predict. */
function bestOrder(run: SampleRun, wastedBits: number, maxOrder: number): number {
  const { samples, from, to } = run;
  let [before0 = 0, before1 = 0, before2 = 0, before3 = 0] = lastDifferences(run, wastedBits);
  let [sum0, sum1, sum2, sum3, sum4] = [0, 0, 0, 0, 0];
  for (let index = from + MAX_ORDER; index < to; index++) {
    const now0 = (samples[index] ?? 0) >> wastedBits;
    const now1 = now0 - before0;
    const now2 = now1 - before1;
    const now3 = now2 - before2;
    sum0 += Math.abs(now0);
    sum1 += Math.abs(now1);
    sum2 += Math.abs(now2);
    sum3 += Math.abs(now3);
    sum4 += Math.abs(now3 - before3);
    before0 = now0;
    before1 = now1;
    before2 = now2;
    before3 = now3;
  }
  const sums = [sum0, sum1, sum2, sum3, sum4];
  return sums.reduce((best, sum, order) => (order <= maxOrder && sum < (sums[best] ?? 0) ? order : best), 0);
}

/** The differences of order 0 to 3 at the last of the first MAX_ORDER samples. */
function lastDifferences({ samples, from }: SampleRun, wastedBits: number): readonly number[] {
  let row = Array.from(samples.subarray(from, from + MAX_ORDER), (sample) => sample >> wastedBits);
  const lasts: number[] = [];
  while (row.length > 0) {
    lasts.push(row.at(-1) ?? 0);
    row = row.slice(1).map((value, index) => value - (row[index] ?? 0));
  }
  return lasts;
}

/** In 32 bits: a residual that fits is correct even if intermediate sums overflow. */
function foldedResidual({ samples, from, to }: SampleRun, wastedBits: number, order: number): Uint32Array {
  const row = new Int32Array(to - from);
  for (let index = from; index < to; index++) row[index - from] = (samples[index] ?? 0) >> wastedBits;
  for (let round = 1; round <= order; round++) {
    for (let index = row.length - 1; index >= round; index--) {
      row[index] = (row[index] ?? 0) - (row[index - 1] ?? 0);
    }
  }
  for (let index = order; index < row.length; index++) {
    const residual = row[index] ?? 0;
    row[index] = (residual << 1) ^ (residual >> 31);
  }
  return new Uint32Array(row.buffer, 4 * order);
}

/** The cheapest parameter is near the logarithm of the mean. */
function planRice(residual: Uint32Array): {
  readonly riceParameter: number;
  readonly residualBits: number;
} {
  let sum = 0;
  for (let index = 0; index < residual.length; index++) sum += residual[index] ?? 0;
  const mean = sum / Math.max(1, residual.length);
  const guess = Math.floor(Math.log2(Math.max(1, mean * Math.LN2)));
  let riceParameter = 0;
  let residualBits = Number.POSITIVE_INFINITY;
  const last = Math.min(guess + 1, MAX_RICE_PARAMETER);
  for (let parameter = Math.max(0, guess - 1); parameter <= last; parameter++) {
    const bits = riceBits(residual, parameter);
    if (bits >= residualBits) continue;
    residualBits = bits;
    riceParameter = parameter;
  }
  return { riceParameter, residualBits };
}

function riceBits(residual: Uint32Array, parameter: number): number {
  let bits = (parameter >= FIRST_LONG_PARAMETER ? 5 : 4) + residual.length * (1 + parameter);
  for (let index = 0; index < residual.length; index++) bits += (residual[index] ?? 0) >>> parameter;
  return bits;
}
