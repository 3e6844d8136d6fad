import { joined, latin1, noise, patched, repeated, u32be } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

interface Flac {
  readonly streamInfo: Buffer;
  readonly frames: Buffer;
}

const STREAMINFO_BYTES = 34;

/** A real one, taken apart (RFC 9639 section 8). */
async function flac({ audio }: Material): Promise<Flac> {
  const file = await audio('a.flac');
  let at = 4;
  for (let isLast = false; !isLast; at += 4 + file.readUIntBE(at + 1, 3)) isLast = file.readUInt8(at) >= 0x80;
  return { streamInfo: file.subarray(8, 8 + STREAMINFO_BYTES), frames: file.subarray(at) };
}

function block(type: number, body: Uint8Array, { isLast = false, claimedBytes = body.length } = {}): Buffer {
  const header = u32be(claimedBytes);
  header.writeUInt8(type | (isLast ? 0x80 : 0));
  return joined(header, body);
}

const PADDING = 1;
const COMMENT = 4;
const PICTURE = 6;
const LAST_PADDING = block(PADDING, Buffer.alloc(4), { isLast: true });

function picture(bytes: Uint8Array, claimedBytes = bytes.length): Buffer {
  return joined(u32be(3, 10), 'image/jpeg', u32be(0, 0, 0, 0, 0, claimedBytes), bytes);
}

/** A file of the parts given, all but its frames replaceable. */
function rebuilt(change: (parts: Flac) => Uint8Array): (material: Material) => Promise<Uint8Array> {
  return async (material) => joined('fLaC', change(await flac(material)));
}

export const FLAC_INPUTS: readonly HostileInput[] = [
  { name: 'flac cut off', make: async (m) => (await m.audio('a.flac')).subarray(0, 300_001), ends: 2 },
  {
    name: 'flac of a stream, its length unknown',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, patched(streamInfo, 14, Buffer.alloc(4)), { isLast: true }), frames),
    ),
    ends: 3,
  },
  {
    name: 'flac of 2^36 samples',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(
          0,
          patched(streamInfo, 13, Buffer.from([streamInfo.readUInt8(13) | 0x0f, 255, 255, 255, 255])),
          { isLast: true },
        ),
        frames,
      ),
    ),
    ends: 3,
  },
  {
    name: 'flac in blocks of no samples',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, patched(streamInfo, 0, Buffer.alloc(4)), { isLast: true }), frames),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac in blocks of at least 65535 and at most 16',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, patched(streamInfo, 0, Buffer.from([255, 255, 0, 16])), { isLast: true }), frames),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac at 0 Hz',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, patched(streamInfo, 10, Buffer.from([0, 0, 0x02])), { isLast: true }), frames),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac whose info says another rate than its frames',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, patched(streamInfo, 10, Buffer.from([0x01, 0xf4, 0x02])), { isLast: true }), frames),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac without frames',
    make: rebuilt(({ streamInfo }) => block(0, streamInfo, { isLast: true })),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac whose frame numbers run backwards',
    make: rebuilt(({ streamInfo, frames }) => joined(block(0, streamInfo, { isLast: true }), frames, frames)),
    ends: 6,
  },
  {
    name: 'flac with holes of noise',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(0, streamInfo, { isLast: true }),
        frames.subarray(0, 200_000),
        noise(3_000),
        frames.subarray(200_000),
      ),
    ),
    ends: 3,
  },
  {
    name: 'flac of nothing but noise',
    make: rebuilt(({ streamInfo }) => joined(block(0, streamInfo, { isLast: true }), noise(200_000))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac with two infos',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, streamInfo), block(0, streamInfo, { isLast: true }), frames),
    ),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'flac whose info does not come first',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(PADDING, Buffer.alloc(8)), block(0, streamInfo, { isLast: true }), frames),
    ),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'flac with an info of 1 byte',
    make: rebuilt(({ frames }) => joined(block(0, Buffer.alloc(1), { isLast: true }), frames)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac whose metadata never ends',
    make: rebuilt(({ streamInfo }) =>
      joined(block(0, streamInfo), repeated(block(PADDING, Buffer.alloc(4)), 10_000)),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac behind 10,000 blocks of metadata',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, streamInfo), repeated(block(PADDING, Buffer.alloc(0)), 10_000), LAST_PADDING, frames),
    ),
    ends: 3,
  },
  {
    name: 'flac with a block of 16 MB that is not there',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(0, streamInfo),
        block(PICTURE, frames.subarray(0, 1_000), { isLast: true, claimedBytes: 0xffffff }),
      ),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'flac with a picture of 4 GB in a block of 100 bytes',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(0, streamInfo),
        block(PICTURE, picture(latin1('\u00ff\u00d8\u00ff'), 0xffffffff), { isLast: true }),
        frames,
      ),
    ),
    ends: 3,
  },
  {
    name: 'flac with three pictures of 4 MB',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(0, streamInfo),
        repeated(block(PICTURE, picture(joined('\u00ff\u00d8\u00ff', Buffer.alloc(4_000_000)))), 3),
        LAST_PADDING,
        frames,
      ),
    ),
    ends: 3,
  },
  {
    name: 'flac with 4 billion comments',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(
        block(0, streamInfo),
        block(COMMENT, joined(Buffer.alloc(4), u32be(0xffffffff)), { isLast: true }),
        frames,
      ),
    ),
    ends: 3,
  },
  {
    name: 'flac with a vendor of 4 GB',
    make: rebuilt(({ streamInfo, frames }) =>
      joined(block(0, streamInfo), block(COMMENT, u32be(0xffffffff, 1), { isLast: true }), frames),
    ),
    ends: 3,
  },
  {
    name: 'flac at 96 kHz',
    make: (m) => m.audio('hi96.flac', '-ar', '96000', '-sample_fmt', 's32'),
    ends: 3,
  },
  { name: 'flac of six channels', make: (m) => m.audio('s51.flac', '-ac', '6'), ends: 3 },
];
