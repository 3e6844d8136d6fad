import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTag, fitTag, numberTag, withSize } from './id3-tag.ts';

function textFrame(version: number, id: string, body: Buffer): Buffer {
  return withSize(Buffer.concat([Buffer.from(id), Buffer.alloc(6), body]), version);
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const encodings = [
  ['Latin-1', (text: string) => Buffer.concat([Buffer.of(0), Buffer.from(text, 'latin1')])],
  [
    'UTF-16, little',
    (text: string) => Buffer.concat([Buffer.of(1, 0xff, 0xfe), Buffer.from(text, 'utf16le')]),
  ],
  ['UTF-16, big', (text: string) => Buffer.concat([Buffer.of(1, 0xfe, 0xff), utf16be(text)])],
  ['UTF-16BE', (text: string) => Buffer.concat([Buffer.of(2), utf16be(text)])],
  ['UTF-8', (text: string) => Buffer.concat([Buffer.of(3), Buffer.from(text)])],
] as const;

for (const [name, encode] of encodings) {
  for (const version of [3, 4]) {
    test(`ID3v2.${version}, ${name}: title and track are numbered, all else is kept, padding is removed`, () => {
      const picture = textFrame(version, 'APIC', Buffer.alloc(300, 1));
      const tag = createTag(version, [
        textFrame(version, 'TIT2', encode('Séa\0')),
        textFrame(version, 'TRCK', encode('3/9')),
        picture,
        Buffer.alloc(50),
      ]);
      const expected = createTag(version, [
        textFrame(version, 'TIT2', encode('Séa (200)')),
        picture,
        textFrame(version, 'TRCK', Buffer.from('\x00200', 'latin1')),
      ]);
      assert.deepEqual(Buffer.concat(numberTag(tag, 200)), expected);
    });
  }
}

test('a tag that cannot be parsed reliably is unchanged', () => {
  const tag = createTag(4, [textFrame(4, 'TIT2', Buffer.from('\0Sea'))]);
  const changed = (at: number, value: number): Buffer => {
    const copy = Buffer.from(tag);
    copy[at] = value;
    return copy;
  };
  for (const odd of [
    changed(3, 2),
    changed(5, 0x80),
    changed(5, 0x40),
    changed(14, 0x80),
    changed(10, 0x7f),
  ]) {
    assert.deepEqual(numberTag(odd, 1), [odd]);
  }
  for (let length = 11; length < tag.length; length += 1) {
    const cut = tag.subarray(0, length);
    assert.deepEqual(numberTag(cut, 1), [cut]);
  }
});

test('a tag that is too large loses its pictures, or is removed if that is not enough', () => {
  const title = textFrame(4, 'TIT2', Buffer.from('\0Sea'));
  const tag = createTag(4, [textFrame(4, 'APIC', Buffer.alloc(5_000)), title]);
  assert.equal(fitTag(tag, tag.length), tag);
  assert.deepEqual(fitTag(tag, tag.length - 1), createTag(4, [title]));
  assert.equal(fitTag(tag, 10), undefined);
});
