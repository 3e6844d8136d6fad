import { type BitReader, brokenFrame, readBits, readSigned, readUnary } from './bit-reader.ts';

/** The unary and the binary part of a short Rice code fit into one load, regardless of alignment. */
const ONE_LOAD_BITS = 25;

export interface ResidualTarget {
  readonly residual: Int32Array;
  readonly blockSamples: number;
}

/**
 * Reads the residual of a block of `blockSamples` after `order` warm-up samples (RFC 9639 9.2.7) into
 * `residual[order]` and up.
 */
export function readResidual(
  reader: BitReader,
  { residual, blockSamples }: ResidualTarget,
  order: number,
): void {
  const method = readBits(reader, 2);
  if (method > 1) throw brokenFrame();
  const parameterBits = 4 + method;
  const escapeCode = 2 ** parameterBits - 1;
  const partitionOrder = readBits(reader, 4);
  const partitionSamples = blockSamples >>> partitionOrder;
  if (partitionSamples << partitionOrder !== blockSamples || partitionSamples < order) throw brokenFrame();
  let from = order;
  for (let end = partitionSamples; end <= blockSamples; end += partitionSamples) {
    const parameter = readBits(reader, parameterBits);
    if (parameter === escapeCode) readPlain(reader, residual, from, end);
    else readRice(reader, residual, from, end, parameter);
    from = end;
  }
}

function readPlain(reader: BitReader, samples: Int32Array, from: number, to: number): void {
  const bitCount = readBits(reader, 5);
  for (let index = from; index < to; index++) samples[index] = readSigned(reader, bitCount);
}

function readRice(reader: BitReader, samples: Int32Array, from: number, to: number, parameter: number): void {
  const { view, end } = reader;
  const maxShortUnary = ONE_LOAD_BITS - 1 - parameter;
  const binaryShift = 31 - parameter;
  let position = reader.position;
  for (let index = from; index < to; index++) {
    if (position >= end) throw brokenFrame();
    const word = view.getInt32(position >>> 3) << (position & 7);
    const unary = Math.clz32(word);
    let folded: number;
    if (unary <= maxShortUnary) {
      folded = (unary << parameter) | (((word << (unary + 1)) >>> 1) >>> binaryShift);
      position += unary + 1 + parameter;
    } else {
      reader.position = position;
      folded = readLongRice(reader, parameter);
      position = reader.position;
    }
    samples[index] = (folded >>> 1) ^ -(folded & 1);
  }
  if (position > end) throw brokenFrame();
  reader.position = position;
}

/** Residuals have at most 32 bits (RFC 9639 9.2.7.3). */
function readLongRice(reader: BitReader, parameter: number): number {
  const unary = readUnary(reader);
  if (unary >= 2 ** (32 - parameter)) throw brokenFrame();
  const highBits = Math.max(0, parameter - 16);
  const high = readBits(reader, highBits);
  return (unary << parameter) | (high << (parameter - highBits)) | readBits(reader, parameter - highBits);
}
