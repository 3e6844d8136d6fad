import { ascii, big } from './bytes.ts';

/** A tag of ID3v2.3 or 2.4; `paddingBytes` are counted in its length, whether they follow or not. */
export function id3Tag(version: 3 | 4, frames: readonly Buffer[], claimedPaddingBytes = 0): Buffer {
  const body = Buffer.concat(frames);
  return Buffer.concat([
    ascii('ID3'),
    Buffer.of(version, 0, 0),
    syncsafe(body.length + claimedPaddingBytes),
    body,
  ]);
}

function id3Frame(version: 3 | 4, id: string, body: Buffer): Buffer {
  const size = version === 4 ? syncsafe(body.length) : big(4, body.length);
  return Buffer.concat([ascii(id), size, Buffer.alloc(2), body]);
}

function syncsafe(value: number): Buffer {
  return Buffer.of((value >> 21) & 0x7f, (value >> 14) & 0x7f, (value >> 7) & 0x7f, value & 0x7f);
}

export const PICTURE = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(40, 0x11)]);

/** Titles in all four encodings of text, a track, a picture. */
export function richTags(): readonly Buffer[] {
  const picture = Buffer.concat([ascii('\0image/jpeg\0'), Buffer.of(3, 0), PICTURE]);
  const latin = [
    id3Frame(3, 'TIT2', ascii('\0Title')),
    id3Frame(3, 'TRCK', ascii('\u00007')),
    id3Frame(3, 'APIC', picture),
  ];
  const wide = [
    id3Frame(4, 'TIT2', Buffer.concat([Buffer.of(1, 0xff, 0xfe), Buffer.from('Wide\0', 'utf16le')])),
    id3Frame(4, 'TIT2', Buffer.concat([Buffer.of(2), Buffer.from('Wide', 'utf16le').swap16()])),
    id3Frame(4, 'TIT2', Buffer.concat([Buffer.of(3), Buffer.from('Übung\0\0')])),
    id3Frame(4, 'APIC', picture),
  ];
  return [id3Tag(3, [...latin, Buffer.alloc(20)]), id3Tag(4, wide)];
}

export const ID3V1 = Buffer.concat([ascii('TAG'), Buffer.alloc(125, 0x20)]);
