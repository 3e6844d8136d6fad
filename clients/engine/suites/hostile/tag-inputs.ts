import { joined } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

/** Line breaks, paths, a shell's syntax and ffmpeg's own, text that turns around, and much of it. */
function texts({ traps }: Material): readonly string[] {
  const values = {
    title: 'x\r\nSet-Cookie: a=b\r\n\r\n<script>',
    artist: `../../..${traps.secretPath}`,
    album: '-i /etc/passwd; $(id) `id` | id',
    genre: '\u202egpj.exe\u2066\u200f',
    composer: '\ud800\udfff\u{10ffff}\uffff',
    copyright: 'a\\=b;c#d\n[CHAPTER]\nSTART=0\ntitle=x\n;FFMETADATA1',
    comment: '\u00e4'.repeat(60_000),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);
}

const CONTAINERS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['tags.mp3', '-b:a', '128k'],
  ['tags.flac'],
  ['tags.ogg', '-c:a', 'libvorbis'],
  ['tags.m4a', '-c:a', 'aac'],
  ['tags.mka', '-c:a', 'flac'],
];

/** A tag of `id` whose text is not encoded as it says (ID3v2.4 section 4). */
function rawTag(picture: string): Buffer {
  const body = joined('\0image/svg+xml\0\u0003\0', picture);
  const size = (bytes: number) => Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f));
  const frame = joined('APIC', size(body.length), '\0\0', body);
  const title = joined('TIT2', size(8), '\0\0', '\u0003a\0b\0\u00ff\u00fe\u00c0');
  return joined('ID3\u0004\0\0', size(frame.length + title.length), title, frame);
}

async function mp3With(material: Material, picture: string): Promise<Buffer> {
  const mp3 = await material.audio('bare.mp3', '-b:a', '128k', '-id3v2_version', '0', '-write_xing', '0');
  return joined(rawTag(picture), mp3);
}

export const TAG_INPUTS: readonly HostileInput[] = [
  ...CONTAINERS.map(
    ([name, ...args]): HostileInput => ({
      name: `hostile ${name}`,
      make: (material) => material.audio(name, ...args, ...texts(material)),
      ends: 3,
    }),
  ),
  {
    name: 'mp3 with a cover that is an svg with an external entity',
    make: (m) =>
      mp3With(m, `<!DOCTYPE svg [<!ENTITY x SYSTEM "file://${m.traps.secretPath}">]><svg>&x;</svg>`),
    ends: 3,
  },
  {
    name: 'mp3 with a cover that is a web page',
    make: (m) => mp3With(m, '<html><script>alert(1)</script></html>'),
    ends: 3,
  },
  {
    name: 'mp3 with a cover that is a playlist',
    make: (m) => mp3With(m, `#EXTM3U\n#EXTINF:9,\n${m.traps.origin}/x.mp3\n`),
    ends: 3,
  },
];
