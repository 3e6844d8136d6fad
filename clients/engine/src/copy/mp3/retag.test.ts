import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@audiosplit/chassis/testing/any-character';
import fc from 'fast-check';
import type { SegmentTags } from '../copy-contract.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { readTags } from '../testing/read-tags.ts';
import { createTag, framesOf, withSize } from './id3-tag.ts';
import { createId3Retagger } from './retag.ts';

const SPEC = {
  seconds: 1,
  sampleRateHz: 44_100,
  channelCount: 1,
  extension: 'mp3',
  encode: ['-c:a', 'libmp3lame', '-map_metadata', '-1', '-write_xing', '0', '-id3v2_version', '0'],
} as const satisfies SourceSpec;
const OWN = { title: 'Föhn 😀', track: 3, trackCount: 12 };

function frame(version: number, id: string, body: string | Buffer, flags = 0): Buffer {
  const bytes = Buffer.concat([Buffer.from(id), Buffer.alloc(6), Buffer.from(body)]);
  bytes.writeUInt16BE(flags, 8);
  return withSize(bytes, version);
}

function oldFrame(id: string, body: string | Buffer): Buffer {
  const head = Buffer.from(`${id}\0\0\0`);
  head.writeUIntBE(Buffer.byteLength(body), 3, 3);
  return Buffer.concat([head, Buffer.from(body)]);
}

function tagOf(version: number, flags: number, ...parts: readonly Buffer[]): Buffer {
  const tag = createTag(version, parts);
  tag.writeUInt8(flags, 5);
  return tag;
}

/**
 * Inserts a zero after every 0xff, as unsynchronisation does in a whole tag of version 2.3 or in a frame of
 * 2.4.
 */
function unsynchronised(bytes: Buffer): Buffer {
  return Buffer.from([...bytes].flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));
}

const WIDE = Buffer.concat([Buffer.of(1, 0xff, 0xfe), Buffer.from('Ünder', 'utf16le')]);
const PICTURE = Buffer.concat([Buffer.from('ffd8ffe000ff00', 'hex'), Buffer.alloc(50, 0xff)]);
const PLAIN = [3, 4].map((version) => [
  frame(version, 'TIT2', '\0Old'),
  frame(version, 'TPE1', WIDE),
  frame(version, 'TRCK', '\x007/9'),
  frame(version, 'APIC', Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0'), PICTURE])),
]);
const [OF_3 = [], OF_4 = []] = PLAIN;
const SWOLLEN = OF_4.map((one) =>
  frame(4, one.toString('latin1', 0, 4), unsynchronised(one.subarray(10)), 0x02),
);
const ITUNES = frame(3, 'TPE1', Buffer.concat([WIDE, Buffer.from('x'.repeat(200), 'utf16le')]));
const OLD = [
  oldFrame('TT2', '\0Old'),
  oldFrame('TP1', WIDE),
  oldFrame('TRK', '\x007/9'),
  oldFrame('ZZZ', 'unknown'),
  oldFrame('PIC', Buffer.concat([Buffer.from('\0JPG\x03\0'), PICTURE])),
];
const FOOTER = Buffer.concat([Buffer.from('3DI'), Buffer.alloc(7)]);

const TAGS: readonly (readonly [string, Buffer])[] = [
  ['2.3', tagOf(3, 0, ...OF_3)],
  ['2.3, unsynchronised', tagOf(3, 0x80, unsynchronised(Buffer.concat(OF_3)))],
  ['2.3 with an extended header', tagOf(3, 0x40, Buffer.from('00000006000000000000', 'hex'), ...OF_3)],
  ['2.4', tagOf(4, 0, ...OF_4)],
  ['2.4, unsynchronised', tagOf(4, 0x80, ...SWOLLEN)],
  ['2.4 with an extended header', tagOf(4, 0x40, Buffer.from('000000060100', 'hex'), ...OF_4)],
  ['2.4 with a footer', Buffer.concat([tagOf(4, 0x10, ...OF_4), FOOTER])],
  ['2.2', tagOf(2, 0, ...OLD)],
  ['2.2, unsynchronised', tagOf(2, 0x80, unsynchronised(Buffer.concat(OLD)))],
];

const retagged = (tag: Buffer | undefined, own: SegmentTags) => Buffer.concat(createId3Retagger(tag)(own));

for (const [name, tag] of TAGS) {
  test(`ID3v${name}: title and track are replaced, all else is kept`, async () => {
    const stream = await createSource(SPEC);
    const own = retagged(tag, OWN);
    const after = await readTags(Buffer.concat([own, stream]), 'mp3');
    assert.deepEqual(
      after,
      new Map([...Object.entries({ title: OWN.title, artist: 'Ünder', track: '3/12' })]),
    );
    assert.ok(own.includes(PICTURE));
    const numbered = retagged(tag, { ...OWN, title: undefined });
    assert.equal((await readTags(Buffer.concat([numbered, stream]), 'mp3')).get('title'), 'Old (3)');
  });
}

test('sizes that iTunes wrote without seven bits are corrected', async () => {
  const tag = tagOf(4, 0, frame(3, 'TIT2', '\0Old'), ITUNES);
  const after = await readTags(Buffer.concat([retagged(tag, OWN), await createSource(SPEC)]), 'mp3');
  assert.deepEqual([after.get('title'), after.get('artist')], [OWN.title, `Ünder${'x'.repeat(200)}`]);
});

test('frames with times of the whole source are removed', () => {
  const chapter = frame(4, 'CHAP', Buffer.concat([Buffer.from('a\0'), Buffer.alloc(16)]));
  const source = tagOf(4, 0, chapter, frame(4, 'CTOC', 'toc\0\x03\x01a\0'), frame(4, 'TLEN', '\x0090000'));
  const ids = framesOf(retagged(source, OWN))?.map((one) => one.toString('latin1', 0, 4));
  assert.deepEqual(ids, ['TIT2', 'TRCK']);
});

test('for any source, the tag can be parsed and contains title and track', () => {
  const source = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(
        fc.constantFrom(2, 3, 4),
        fc.constantFrom(0, 0x10, 0x40, 0x80, 0xc0),
        fc.array(
          fc.oneof(
            fc.constantFrom(...OF_3, ...OF_4, ...OLD),
            fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
          ),
        ),
      )
      .map(([version, flags, parts]) => tagOf(version, flags, ...parts)),
  );
  fc.assert(
    fc.property(source, fc.string({ unit: anyCharacter, minLength: 1 }), (tag, title) => {
      const frames = framesOf(retagged(tag, { ...OWN, title })) ?? [];
      const ids = frames.map((one) => one.toString('latin1', 0, 4));
      assert.equal(ids.filter((id) => id === 'TIT2').length, 1);
      assert.equal(ids.filter((id) => id === 'TRCK').length, 1);
    }),
  );
});
