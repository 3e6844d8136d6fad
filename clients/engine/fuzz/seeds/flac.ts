import { createCase } from '../engine/fuzz-case.ts';
import { ascii, big, FILLER_BYTES, little, times } from './bytes.ts';
import {
  constantSubframe,
  fixedSubframe,
  flacFrame,
  linearSubframe,
  verbatimSubframe,
  wastedBitSubframe,
} from './flac-frames.ts';
import { ID3V1, id3Tag, PICTURE, richTags } from './id3.ts';

interface Block {
  readonly type: number;
  readonly body: Buffer;
  /** Where more is claimed than there is. */
  readonly claimedBytes?: number;
}

function stream(blocks: readonly Block[], frames: readonly Buffer[]): Buffer {
  const metadata = blocks.flatMap(({ type, body, claimedBytes }, index) => [
    Buffer.of(type | (index === blocks.length - 1 ? 0x80 : 0)),
    big(3, claimedBytes ?? body.length),
    body,
  ]);
  return Buffer.concat([ascii('fLaC'), ...metadata, ...frames]);
}

interface StreamSpec {
  readonly blockSamples: number;
  readonly totalSamples: number;
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  readonly bitsPerSample?: number;
}

function streamInfo(spec: StreamSpec): Block {
  const { blockSamples, totalSamples, sampleRateHz = 8_000, channelCount = 1, bitsPerSample = 16 } = spec;
  const packed =
    (BigInt(sampleRateHz) << 44n) |
    (BigInt(channelCount - 1) << 41n) |
    (BigInt(bitsPerSample - 1) << 36n) |
    BigInt(totalSamples);
  const numbers = Buffer.alloc(8);
  numbers.writeBigUInt64BE(packed);
  const body = Buffer.concat([
    big(2, blockSamples, blockSamples),
    big(3, 0, 0),
    numbers,
    Buffer.alloc(16, 7),
  ]);
  return { type: 0, body };
}

const BLOCK_192 = 1;
const BLOCK_1152 = 3;
const BLOCK_IN_TWO_BYTES = 7;
const BLOCK_4096 = 12;
const RATE_8_KHZ = 4;
/** As in STREAMINFO, which may state any rate. */
const RATE_UNSAID = 0;

function silence(blockCode: number, number: number, variableSamples?: number): Buffer {
  return flacFrame({
    blockCode,
    ...(variableSamples === undefined ? {} : { blockField: big(2, variableSamples - 1), isVariable: true }),
    channelCode: 0,
    bitsPerSample: 16,
    rateCode: RATE_8_KHZ,
    number,
    subframes: [constantSubframe(1, 16)],
  });
}

const BUSY_RATE_HZ = 500;
const BUSY_FRAMES = 7;
const BUSY_BLOCK_SAMPLES = 192;

/** A slow triangle with a little roughness: even numbers, small second differences. */
function triangle(index: number): number {
  return 2 * (Math.abs((index % 64) - 32) + (index % 3));
}

/** Two channels of every kind of subframe, coded apart or as sum and difference. */
function busyStream(channelCode: number, bitsPerSample: number): Buffer {
  const side = channelCode < 8 ? undefined : channelCode === 9 ? 0 : 1;
  const frames = times(BUSY_FRAMES, (number) => {
    const samples = times(BUSY_BLOCK_SAMPLES, (index) => triangle(number * BUSY_BLOCK_SAMPLES + index));
    const subframes = times(2, (channel) => {
      const bits = channel === side ? bitsPerSample + 1 : bitsPerSample;
      return [
        fixedSubframe(samples, bits, 0),
        fixedSubframe(samples, bits, 1),
        fixedSubframe(samples, bits, 2),
        fixedSubframe(samples, bits, 3),
        fixedSubframe(samples, bits, 4),
        linearSubframe(samples, bits),
        constantSubframe(-3, bits),
      ][(number + 3 * channel) % BUSY_FRAMES];
    });
    const known = subframes.filter((subframe) => subframe !== undefined);
    return flacFrame({
      blockCode: BLOCK_192,
      channelCode,
      bitsPerSample,
      rateCode: RATE_UNSAID,
      number,
      subframes: known,
    });
  });
  const totalSamples = BUSY_FRAMES * BUSY_BLOCK_SAMPLES;
  const spec = {
    blockSamples: BUSY_BLOCK_SAMPLES,
    totalSamples,
    sampleRateHz: BUSY_RATE_HZ,
    channelCount: 2,
  };
  return stream([streamInfo({ ...spec, bitsPerSample })], frames);
}

/** Eight bits, plain and with a bit wasted. */
function plainStream(): Buffer {
  const frames = times(4, (number) => {
    const samples = times(BUSY_BLOCK_SAMPLES, triangle);
    const subframe = number % 2 === 0 ? verbatimSubframe(samples, 8) : wastedBitSubframe(samples, 8);
    return flacFrame({
      blockCode: BLOCK_192,
      channelCode: 0,
      bitsPerSample: 8,
      rateCode: RATE_UNSAID,
      number,
      subframes: [subframe],
    });
  });
  const spec = { blockSamples: BUSY_BLOCK_SAMPLES, totalSamples: 0, sampleRateHz: 300, bitsPerSample: 8 };
  return stream([streamInfo(spec)], frames);
}

const COMMENTS: Block = {
  type: 4,
  body: Buffer.concat([
    ...[little(4, 3), ascii('abc'), little(4, 2, 7), ascii('TITLE=x')],
    ...[little(4, 13), ascii('TRACKNUMBER=4')],
  ]),
};
const PICTURE_BLOCK: Block = {
  type: 6,
  body: Buffer.concat([big(4, 3, 10), ascii('image/jpeg'), big(4, 0, 0, 0, 0, 0, PICTURE.length), PICTURE]),
};
const SEEK_TABLE: Block = { type: 3, body: Buffer.alloc(18, 1) };

/** A stream in the parts that other containers keep apart: metadata blocks with their headers, and frames. */
export function flacParts(): {
  readonly streamInfo: Buffer;
  readonly comments: Buffer;
  readonly frames: readonly Buffer[];
} {
  const { body } = streamInfo({ blockSamples: 4_096, totalSamples: 0 });
  return {
    streamInfo: Buffer.concat([Buffer.of(0), big(3, body.length), body]),
    comments: Buffer.concat([Buffer.of(0x84), big(3, COMMENTS.body.length), COMMENTS.body]),
    frames: times(9, (number) => silence(BLOCK_4096, number)),
  };
}

export function flacSeeds(): readonly Buffer[] {
  const long = times(9, (number) => silence(BLOCK_4096, number));
  const short = times(40, (number) => silence(BLOCK_1152, number));
  const variable = times(14, (index) => silence(BLOCK_IN_TWO_BYTES, index * 1_000, 1_000));
  const unknownLength = streamInfo({ blockSamples: 4_096, totalSamples: 0 });
  const filler: Block = { type: 1, body: Buffer.alloc(0), claimedBytes: FILLER_BYTES };
  const fillerAt = 4 + 4 + 34 + 3;
  const afterTag = Buffer.concat([id3Tag(3, [], FILLER_BYTES), stream([unknownLength], long)]);
  return [
    createCase(stream([streamInfo({ blockSamples: 4_096, totalSamples: 9 * 4_096 })], long)),
    createCase(
      stream(
        [streamInfo({ blockSamples: 1_152, totalSamples: 40 * 1_152 }), SEEK_TABLE, COMMENTS, PICTURE_BLOCK],
        short,
      ),
    ),
    createCase(stream([streamInfo({ blockSamples: 1_000, totalSamples: 0 }), COMMENTS], variable)),
    createCase(Buffer.concat([...richTags().slice(0, 1), stream([unknownLength], long), ID3V1])),
    ...[1, 8, 9, 10].map((channelCode) => createCase(busyStream(channelCode, 16))),
    ...[24, 32].map((bitsPerSample) => createCase(busyStream(10, bitsPerSample))),
    createCase(plainStream()),
    createCase(afterTag, { repeat: { at: 9, byteCount: 1, times: FILLER_BYTES }, chunking: 5 }),
    createCase(stream([unknownLength, filler, COMMENTS], long), {
      repeat: { at: fillerAt, byteCount: 1, times: FILLER_BYTES },
    }),
  ];
}
