import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { type OggContent, oggContent } from '../testing/ogg-packets.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';

const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const PACKET_FRAMES = 960;
const BASE = { sampleRateHz: 48_000, channelCount: 2, seconds: 5.3, encode: ['-c:a', 'libopus'] } as const;

let ogg: Buffer;
let opus: OggContent;
before(async () => {
  ogg = await createSource({ ...BASE, extension: 'opus' });
  opus = oggContent(ogg);
});

function chunk(type: string, body: Buffer, size = body.length): Buffer {
  const header = Buffer.alloc(12);
  header.write(type, 'latin1');
  header.writeBigInt64BE(BigInt(size), 4);
  return Buffer.concat([header, body]);
}

const HEADER = Buffer.from('caff\0\u0001\0\0', 'latin1');

function description({ rateHz = 48_000, channels = 2, bytesPerPacket = 0, codec = 'opus' } = {}): Buffer {
  const body = Buffer.alloc(32);
  body.writeDoubleBE(rateHz);
  body.write(codec, 8, 'latin1');
  body.writeUInt32BE(bytesPerPacket, 16);
  body.writeUInt32BE(rateHz > 0 ? (PACKET_FRAMES * rateHz) / 48_000 : PACKET_FRAMES, 20);
  body.writeUInt32BE(channels, 24);
  return chunk('desc', body);
}

const packets = (): readonly Buffer[] => opus.packets.slice(2);
const priming = (): number => opus.packets[0]?.readUInt16LE(10) ?? 0;
const remainder = (): number => packets().length * PACKET_FRAMES - opus.lastGranule;

interface TableFields {
  readonly count?: number;
  readonly valid?: number;
  readonly priming?: number;
  readonly remainder?: number;
  readonly sizes?: Buffer;
}

function table(fields: TableFields = {}): Buffer {
  const { count = packets().length, priming: primed = priming(), remainder: left = remainder() } = fields;
  const head = Buffer.alloc(24);
  head.writeBigInt64BE(BigInt(count));
  head.writeBigInt64BE(BigInt(fields.valid ?? packets().length * PACKET_FRAMES - primed - left), 8);
  head.writeInt32BE(primed, 16);
  head.writeInt32BE(left, 20);
  const sizes = packets().flatMap(({ length }) =>
    length < 128 ? [length] : [0x80 | (length >> 7), length & 127],
  );
  return chunk('pakt', Buffer.concat([head, fields.sizes ?? Buffer.from(sizes)]));
}

const data = (): Buffer => chunk('data', Buffer.concat([Buffer.alloc(4), ...packets()]));
const info = (): Buffer => chunk('info', Buffer.from('\0\0\0\u0001title\0Sweep\0'));

async function expectSame(source: Buffer): Promise<void> {
  const expected = await splitBuffer('ogg-opus', ogg, TWO_SECONDS);
  const { files, segments, result } = await splitBuffer('caf-opus', source, TWO_SECONDS);
  assert.equal(result.sourceSizeBytes, source.length);
  assert.deepEqual(
    segments.map(({ sampleCount, extension, contentType }) => [sampleCount, extension, contentType]),
    expected.segments.map(({ sampleCount }) => [sampleCount, 'opus', 'audio/ogg']),
  );
  assert.deepEqual(await decodeAll(files, 'opus', 's16le'), await decodeAll(expected.files, 'opus', 's16le'));
}

test('the segments equal those of the same packets in Ogg, for any position of the table', async () => {
  await expectSame(Buffer.concat([HEADER, description(), info(), table(), data()]));
  await expectSame(
    Buffer.concat([HEADER, description(), data(), info(), table(), chunk('free', Buffer.alloc(9))]),
  );
  const { files } = await splitBuffer(
    'caf-opus',
    Buffer.concat([HEADER, description(), data(), table(), info()]),
    TWO_SECONDS,
  );
  for (const [index, file] of files.entries()) assert.ok(file.includes(`TITLE=Sweep (${index + 1})`));
});

test('only the first information chunk of a CAF is read, as far as its count', async () => {
  const counted = chunk('info', Buffer.from('\0\0\0\u0001title\0Sweep\0artist\0Ann\0'));
  const another = chunk('info', Buffer.from('\0\0\0\u0001album\0Other\0'));
  for (const source of [
    [HEADER, description(), counted, another, table(), data()],
    [HEADER, description(), data(), counted, another, table()],
    [HEADER, description(), counted, data(), another, table()],
  ]) {
    const { files } = await splitBuffer('caf-opus', Buffer.concat(source), TWO_SECONDS);
    for (const file of files) {
      const comments = oggContent(file).packets[1]?.toString() ?? '';
      assert.match(comments, /TITLE=Sweep/);
      assert.doesNotMatch(comments, /Ann|Other/);
    }
  }
});

test('a file of ffmpeg without priming or remainder is as long as ffmpeg decodes it', async () => {
  const source = await createSource({ ...BASE, extension: 'caf' });
  const [whole = Buffer.alloc(0)] = await decodeAll([source], 'caf', 's16le');
  const { result, files } = await splitBuffer('caf-opus', source, TWO_SECONDS);
  assert.equal(result.sourceSampleCount, whole.length / 4);
  assert.equal(Buffer.concat(await decodeAll(files, 'opus', 's16le')).length, whole.length);
});

test('a source that cannot be copied exactly is declined, and leaves no files', async () => {
  const before = (desc: Buffer, pakt: Buffer): Buffer => Buffer.concat([HEADER, desc, pakt, data()]);
  const behind = (...chunks: readonly Buffer[]): Buffer =>
    Buffer.concat([HEADER, description(), data(), ...chunks]);
  const good = before(description(), table());
  const declined: Readonly<Record<string, Buffer>> = {
    'another codec': before(description({ codec: 'aac ' }), table()),
    'packets of one size': before(description({ bytesPerPacket: 100 }), table()),
    'six channels': before(description({ channels: 6 }), table()),
    'no channels': before(description({ channels: 0 }), table()),
    'a rate of none': before(description({ rateHz: 0 }), table()),
    'a rate below none': before(description({ rateHz: -48_000 }), table({ priming: 0 })),
    'a rate that is no number': before(description({ rateHz: Number.NaN }), table()),
    'no table': behind(),
    'a table of exabytes': Buffer.concat([
      HEADER,
      description(),
      chunk('pakt', Buffer.alloc(0), 2 ** 52),
      data(),
    ]),
    'a table of exabytes behind the sound': behind(chunk('pakt', Buffer.alloc(0), 2 ** 52)),
    'a table cut short': before(description(), table({ sizes: Buffer.alloc(3, 1) })),
    'more packets than bytes': before(description(), table({ count: 2 ** 50 })),
    'no packets': before(description(), table({ count: 0 })),
    'fewer than no packets': before(description(), table({ count: -5 })),
    'a size without end': before(description(), table({ sizes: Buffer.alloc(packets().length * 6, 0xff) })),
    'empty packets': before(description(), table({ sizes: Buffer.alloc(packets().length) })),
    'too large a packet': before(
      description(),
      table({ sizes: Buffer.from([...Buffer.of(0x8f, 0xff, 0x7f), ...Buffer.alloc(packets().length, 1)]) }),
    ),
    'negative priming': before(description(), table({ priming: -5 })),
    'a negative remainder': before(description(), table({ remainder: -5 })),
    'a remainder of several packets': before(description(), table({ remainder: 5_000 })),
    'another number of samples': before(description(), table({ valid: 1 })),
    'sound cut short': good.subarray(0, -1_000),
    'sound without end': Buffer.concat([HEADER, description(), table(), chunk('data', Buffer.alloc(99), -1)]),
    'sound of two bytes': Buffer.concat([HEADER, description(), chunk('data', Buffer.alloc(2)), table()]),
    'nothing but a header': HEADER,
    'a chunk cut short': Buffer.concat([HEADER, chunk('desc', Buffer.alloc(3), 32)]),
    'chunks without end': Buffer.concat([
      HEADER,
      ...Array.from({ length: 2_000 }, () => chunk('free', Buffer.alloc(0))),
    ]),
  };
  await splitBuffer('caf-opus', good, TWO_SECONDS);
  for (const [name, source] of Object.entries(declined)) {
    await assert.rejects(splitBuffer('caf-opus', source, TWO_SECONDS), (error) => {
      assert.ok(error instanceof CopyNotPossibleError, `${name}: ${error}`);
      return true;
    });
  }
});
