import { crc8, crc16 } from '../grammars/flac.ts';
import { big, times } from './bytes.ts';

/**
 * FLAC frames with every kind of subframe (RFC 9639 9.2). Bits are put together as text: seeds are few and small.
 */
interface FrameSpec {
  /** The four bits for the block size, and the bytes that they may ask for behind the number. */
  readonly blockCode: number;
  readonly blockField?: Buffer;
  /** 0 and up: as many channels less one; 8 left and side, 9 side and right, 10 middle and side. */
  readonly channelCode: number;
  readonly bitsPerSample: number;
  readonly rateCode: number;
  /** Of frames, or of samples where blocks vary. */
  readonly number: number;
  readonly isVariable?: boolean;
  readonly subframes: readonly string[];
}

const DEPTH_CODES: Readonly<Record<number, number>> = { 8: 1, 16: 4, 24: 6, 32: 7 };

export function flacFrame(spec: FrameSpec): Buffer {
  const { blockCode, blockField = Buffer.alloc(0), channelCode, bitsPerSample, rateCode, isVariable } = spec;
  const header = Buffer.concat([
    Buffer.of(0xff, isVariable === true ? 0xf9 : 0xf8, (blockCode << 4) | rateCode),
    Buffer.of((channelCode << 4) | ((DEPTH_CODES[bitsPerSample] ?? 0) << 1)),
    codedNumber(spec.number),
    blockField,
  ]);
  const whole = Buffer.concat([header, Buffer.of(crc8(header)), packed(spec.subframes.join(''))]);
  return Buffer.concat([whole, big(2, crc16(whole))]);
}

/** UTF-8 as far as three bytes. */
function codedNumber(value: number): Buffer {
  if (value < 0x80) return Buffer.of(value);
  if (value < 0x800) return Buffer.of(0xc0 | (value >> 6), 0x80 | (value & 0x3f));
  return Buffer.of(0xe0 | (value >> 12), 0x80 | ((value >> 6) & 0x3f), 0x80 | (value & 0x3f));
}

function packed(bits: string): Buffer {
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Buffer.from((padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Two's complement. */
function signed(value: number, bitCount: number): string {
  const modulus = 2n ** BigInt(bitCount);
  return (((BigInt(value) % modulus) + modulus) % modulus).toString(2).padStart(bitCount, '0');
}

function unsigned(value: number, bitCount: number): string {
  return value.toString(2).padStart(bitCount, '0');
}

export function constantSubframe(value: number, bits: number): string {
  return `00000000${signed(value, bits)}`;
}

export function verbatimSubframe(samples: readonly number[], bits: number): string {
  return `00000010${samples.map((sample) => signed(sample, bits)).join('')}`;
}

/** For samples whose lowest bit is never set: it is left out. */
export function wastedBitSubframe(samples: readonly number[], bits: number): string {
  return `000000111${samples.map((sample) => signed(sample / 2, bits - 1)).join('')}`;
}

export function fixedSubframe(samples: readonly number[], bits: number, order: 0 | 1 | 2 | 3 | 4): string {
  const warmUp = samples.slice(0, order).map((sample) => signed(sample, bits));
  const residual = times(order, () => 0).reduce(
    (values) => values.slice(1).map((value, index) => value - (values[index] ?? 0)),
    samples,
  );
  return `0${unsigned(8 + order, 6)}0${warmUp.join('')}${riceResidual(residual, samples.length, order)}`;
}

/** Predicts along a straight line, with coefficients of five bits. */
export function linearSubframe(samples: readonly number[], bits: number): string {
  const warmUp = samples.slice(0, 2).map((sample) => signed(sample, bits));
  const residual = samples
    .slice(2)
    .map((sample, index) => sample - (2 * (samples[index + 1] ?? 0) - (samples[index] ?? 0)));
  const coefficients = `${unsigned(4, 4)}${signed(0, 5)}${signed(2, 5)}${signed(-1, 5)}`;
  return `0${unsigned(32 + 1, 6)}0${warmUp.join('')}${coefficients}${riceResidual(residual, samples.length, 2)}`;
}

const RICE_BITS = 2;
const ESCAPE = 15;
const ESCAPED_BITS = 12;

/** In two partitions, the first in Rice codes, the second in plain numbers. */
function riceResidual(residual: readonly number[], blockSamples: number, order: number): string {
  const firstCount = blockSamples / 2 - order;
  const coded = residual.slice(0, firstCount).map(riceCode);
  const plain = residual.slice(firstCount).map((value) => signed(value, ESCAPED_BITS));
  const header = `00${unsigned(1, 4)}`;
  return [
    header,
    unsigned(RICE_BITS, 4),
    ...coded,
    unsigned(ESCAPE, 4),
    unsigned(ESCAPED_BITS, 5),
    ...plain,
  ].join('');
}

function riceCode(value: number): string {
  const folded = value < 0 ? -2 * value - 1 : 2 * value;
  return `${'0'.repeat(folded >> RICE_BITS)}1${unsigned(folded & (2 ** RICE_BITS - 1), RICE_BITS)}`;
}
