import { joined, latin1, patched, repeated, u32be, u64be } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

/** ISO/IEC 14496-12 section 4.2. */
function box(type: string, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const body = joined(...parts);
  return joined(u32be(8 + body.length), type, body);
}

interface Place {
  readonly offset: number;
  readonly sizeBytes: number;
}

function find(file: Buffer, [type = '', ...inner]: readonly string[], start = 0, end = file.length): Place {
  for (let offset = start; offset + 8 <= end; offset += file.readUInt32BE(offset)) {
    if (file.toString('latin1', offset + 4, offset + 8) !== type) continue;
    const sizeBytes = file.readUInt32BE(offset);
    const bodyAt = offset + (type === 'meta' ? 12 : 8);
    return inner.length === 0 ? { offset, sizeBytes } : find(file, inner, bodyAt, offset + sizeBytes);
  }
  throw new Error(`no box ${type}`);
}

/** AAC with the index at the end, where it can change its size and the audio stays in its place. */
function movie({ audio }: Material): Promise<Buffer> {
  return audio('a.m4a', '-c:a', 'aac', '-metadata', 'title=t');
}

/** Other bytes in the body of a box, which keeps its size. */
function withBytes(path: string, offset: number, replacement: Uint8Array) {
  return async (material: Material) => {
    const file = await movie(material);
    return patched(file, find(file, path.split('/')).offset + 8 + offset, replacement);
  };
}

/** Another box in the place of one; the boxes around it grow or shrink along. */
function withBox(path: string, replacement: (old: Buffer) => Uint8Array) {
  return async (material: Material) => {
    const file = await movie(material);
    const types = path.split('/');
    const { offset, sizeBytes } = find(file, types);
    const changed = replacement(file.subarray(offset, offset + sizeBytes));
    const result = joined(file.subarray(0, offset), changed, file.subarray(offset + sizeBytes));
    for (let depth = 1; depth < types.length; depth += 1) {
      const parent = find(file, types.slice(0, depth));
      result.writeUInt32BE(parent.sizeBytes + changed.length - sizeBytes, parent.offset);
    }
    return result;
  };
}

function nested(depth: number): Buffer {
  const bytes = Buffer.alloc(8 * depth);
  for (let level = 0; level < depth; level += 1) {
    bytes.writeUInt32BE(8 * (depth - level), 8 * level);
    bytes.write('moov', 8 * level + 4, 'latin1');
  }
  return bytes;
}

const TRACK = 'moov/trak';
const MEDIA = `${TRACK}/mdia`;
const TABLES = `${MEDIA}/minf/stbl`;
const FTYP = box('ftyp', 'M4A \0\0\0\0M4A mp42');

/** A data reference of type `url `, as if the audio lay somewhere else (section 8.7.2). */
function elsewhere(url: (material: Material) => string) {
  return (material: Material) =>
    withBox(`${MEDIA}/minf/dinf/dref`, () =>
      box('dref', u32be(0, 1), box('url ', u32be(0), `${url(material)}\0`)),
    )(material);
}

/** QuickTime's alias record, which ffmpeg can follow to another file if an option allows it. */
function alias({ traps }: Material): Buffer {
  const path = latin1(`${traps.audioFromWorkDir}\0`);
  const record = joined(
    Buffer.alloc(150),
    '\0\u0002',
    u32be(path.length).subarray(2),
    path,
    '\u00ff\u00ff\0\0',
  );
  return box('dref', u32be(0, 1), box('alis', u32be(0), record));
}

const FOUR_BILLION = u32be(0xffffffff);

export const MP4_INPUTS: readonly HostileInput[] = [
  {
    name: 'm4a cut off before its index',
    make: async (m) => (await movie(m)).subarray(0, 60_000),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with its index in front, cut off',
    make: async (m) =>
      (await m.audio('front.m4a', '-c:a', 'aac', '-movflags', '+faststart')).subarray(0, 60_000),
    ends: 2,
  },
  { name: 'm4a of nothing but its type', make: () => FTYP, ends: 'UNSUPPORTED_MEDIA' },
  {
    name: 'm4a with an index of 2 GB',
    make: () => joined(FTYP, u32be(0x7fffffff), 'moov', Buffer.alloc(1_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with an index of exabytes',
    make: () => joined(FTYP, u32be(1), 'moov', u64be(1n << 62n), Buffer.alloc(1_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with a box of negative size',
    make: () => joined(FTYP, u32be(1), 'free', u64be(-1n), Buffer.alloc(1_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with a box shorter than its header',
    make: () => joined(FTYP, u32be(3), 'moov', Buffer.alloc(1_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with an index of no size',
    make: async (m) => {
      const file = await movie(m);
      return patched(file, find(file, ['moov']).offset, u32be(0));
    },
    ends: 3,
  },
  {
    name: 'm4a with boxes inside each other, 100,000 deep',
    make: () => joined(FTYP, nested(100_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a of 20,000 empty boxes',
    make: () => joined(FTYP, repeated(box('free'), 20_000)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a of 20,000 empty tracks',
    make: () => joined(FTYP, box('moov', repeated(box('trak'), 20_000))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with two indexes',
    make: async (m) => {
      const file = await movie(m);
      return joined(file, file.subarray(find(file, ['moov']).offset));
    },
    ends: 3,
  },
  {
    name: 'm4a that says it has 4 billion frames',
    make: withBytes(`${TABLES}/stsz`, 8, FOUR_BILLION),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a of 4 billion frames of one size',
    make: withBytes(`${TABLES}/stsz`, 4, u32be(1, 0xffffffff)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a of frames of 4 GB',
    make: withBytes(`${TABLES}/stsz`, 4, u32be(0xffffffff, 200)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  { name: 'm4a without frames', make: withBytes(`${TABLES}/stsz`, 8, u32be(0)), ends: 'UNSUPPORTED_MEDIA' },
  {
    name: 'm4a without a table of sizes',
    make: withBox(`${TABLES}/stsz`, () => Buffer.alloc(0)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a whose chunks lie beyond its end',
    make: withBox(`${TABLES}/stco`, (old) => {
      const table = Buffer.from(old);
      for (let at = 16; at < table.length; at += 4) table.writeUInt32BE(0xfffffff0, at);
      return table;
    }),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a whose chunks lie over each other',
    make: withBox(`${TABLES}/stco`, (old) => {
      const table = Buffer.from(old);
      for (let at = 16; at < table.length; at += 4) table.writeUInt32BE(table.readUInt32BE(16), at);
      return table;
    }),
    ends: 3,
  },
  {
    name: 'm4a whose chunks lie in its index',
    make: withBox(`${TABLES}/stco`, (old) => Buffer.from(old).fill(0, 16)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a whose chunks come in reverse',
    make: withBox(`${TABLES}/stco`, (old) =>
      joined(old.subarray(0, 16), Buffer.from(old.subarray(16)).swap32().reverse()),
    ),
    ends: 3,
  },
  {
    name: 'm4a whose chunks lie exabytes away',
    make: withBox(`${TABLES}/stco`, (old) => {
      const count = old.readUInt32BE(12);
      return box('co64', u32be(0, count), repeated(u64be((1n << 63n) - 8n), count));
    }),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with 4 billion chunks',
    make: withBytes(`${TABLES}/stco`, 4, FOUR_BILLION),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with chunks of no frames',
    make: withBytes(`${TABLES}/stsc`, 12, u32be(0)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with chunks of 4 billion frames',
    make: withBytes(`${TABLES}/stsc`, 12, FOUR_BILLION),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'm4a whose chunk runs do not begin at the first',
    make: withBytes(`${TABLES}/stsc`, 8, u32be(0)),
    ends: 3,
  },
  {
    name: 'm4a whose frames take no time',
    make: withBox(`${TABLES}/stts`, () => box('stts', u32be(0, 1, 300, 0))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a of 4 billion frames of 27 hours',
    make: withBox(`${TABLES}/stts`, () => box('stts', u32be(0, 1, 0xffffffff, 0xffffffff))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with 4 billion runs of times',
    make: withBytes(`${TABLES}/stts`, 4, FOUR_BILLION),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with 100,000 runs of times',
    make: withBox(`${TABLES}/stts`, () => box('stts', u32be(0, 100_000), repeated(u32be(0, 1_024), 100_000))),
    ends: 3,
  },
  {
    name: 'm4a with absurd composition offsets',
    make: withBox(`${TABLES}/stts`, (old) =>
      joined(old, box('ctts', u32be(0, 2, 1, 0x7fffffff, 0xffffffff, 0x80000000))),
    ),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'm4a that is said to last 2^32 ticks of 0 Hz',
    make: withBytes(`${MEDIA}/mdhd`, 12, u32be(0, 0xffffffff)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with an edit that begins before time',
    make: withBox(`${TRACK}/edts/elst`, () => box('elst', u32be(0, 1, 6_000, 0x80000000, 0x10000))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with an edit that begins after its end',
    make: withBox(`${TRACK}/edts/elst`, () => box('elst', u32be(0, 1, 6_000, 0x7fffffff, 0x10000))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a with an edit of 49 days',
    make: withBox(`${TRACK}/edts/elst`, () => box('elst', u32be(0, 1, 0xffffffff, 1_024, 0x10000))),
    ends: 3,
  },
  {
    name: 'm4a with 2,000 edits',
    make: withBox(`${TRACK}/edts/elst`, () =>
      box('elst', u32be(0, 2_000), repeated(u32be(1, 0, 0x10000), 2_000)),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'm4a played backwards',
    make: withBox(`${TRACK}/edts/elst`, () => box('elst', u32be(0, 1, 6_000, 1_024, 0xffff0000))),
    ends: 3,
  },
  {
    name: 'm4a whose decoder settings are cut off',
    make: async (m) => {
      const file = await movie(m);
      return patched(
        file,
        file.indexOf('esds', find(file, `${TABLES}/stsd`.split('/')).offset, 'latin1') + 8,
        Buffer.alloc(12, 0xff),
      );
    },
    ends: 3,
  },
  {
    name: 'm4a with 4 billion kinds of frames',
    make: withBytes(`${TABLES}/stsd`, 4, FOUR_BILLION),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'm4a with a title of 4 GB',
    make: async (m) => {
      const file = await movie(m);
      return patched(file, find(file, ['moov', 'udta', 'meta', 'ilst']).offset + 8, FOUR_BILLION);
    },
    ends: 3,
  },
  {
    name: 'm4a whose audio lies in a local file',
    make: elsewhere(({ traps }) => `file://${traps.audioPath}`),
    ends: 3,
  },
  {
    name: 'm4a whose audio lies on the network',
    make: elsewhere(({ traps }) => `${traps.origin}/x.m4a`),
    ends: 3,
  },
  {
    name: 'm4a with an alias of a local file',
    make: (m) => withBox(`${MEDIA}/minf/dinf/dref`, () => alias(m))(m),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'm4a in fragments',
    make: (m) =>
      m.audio(
        'frag.m4a',
        '-c:a',
        'aac',
        '-movflags',
        '+frag_keyframe+empty_moov',
        '-frag_duration',
        '1000000',
      ),
    ends: 3,
  },
  { name: 'm4a of six channels', make: (m) => m.audio('s51.m4a', '-ac', '6', '-c:a', 'aac'), ends: 3 },
  { name: 'alac in mp4', make: (m) => m.audio('alac.m4a', '-c:a', 'alac'), ends: 3 },
];
