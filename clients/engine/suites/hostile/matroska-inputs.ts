/** Matroska and CAF with Opus inside, which is carried over into Ogg. */
import {
  AUDIO,
  block,
  blockGroup,
  cluster,
  EBML,
  element,
  segment,
  simpleBlock,
  simpleTag,
  trackEntry,
  tracks,
  UNKNOWN,
} from '../../src/copy/testing/matroska.ts';
import { oggContent } from '../../src/copy/testing/ogg-packets.ts';
import { joined, noise, repeated, u32be, u64be } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

const TRACK = 1;
const PACKET_FRAMES = 960;

interface Opus {
  readonly head: Buffer;
  readonly packets: readonly Buffer[];
}

async function opus({ audio }: Material): Promise<Opus> {
  const [head = Buffer.alloc(0), , ...packets] = oggContent(await audio('a.opus', '-c:a', 'libopus')).packets;
  return { head, packets };
}

function track(codecPrivate: Buffer, more = Buffer.alloc(0)): Buffer {
  return trackEntry({ number: TRACK, type: AUDIO, codecId: 'A_OPUS', codecPrivate, more });
}

function singly(packets: readonly Buffer[]): readonly Buffer[] {
  return packets.map((packet) => simpleBlock(TRACK, [packet]));
}

/** 38 megabytes of them. */
function tagElements(tag: Buffer): readonly Buffer[] {
  const megabyte = element(0x7373, repeated(tag, Math.floor(1_000_000 / tag.length)));
  return Array.from({ length: 38 }, () => element(0x1254c367, megabyte));
}

/** A file of the clusters given. */
function webm(make: (opus: Opus) => readonly Buffer[], size?: number | typeof UNKNOWN) {
  return async (material: Material): Promise<Buffer> => {
    const sound = await opus(material);
    return joined(EBML, segment([tracks(track(sound.head)), ...make(sound)], size));
  };
}

function chunk(type: string, body: Uint8Array, size = BigInt(body.length)): Buffer {
  return joined(type, u64be(size), body);
}

interface CafParts {
  readonly description: Buffer;
  readonly table: Buffer;
  readonly data: Buffer;
}

function caf(make: (parts: CafParts, opus: Opus) => readonly Buffer[]) {
  return async (material: Material): Promise<Buffer> => {
    const sound = await opus(material);
    const rate = Buffer.alloc(8);
    rate.writeDoubleBE(48_000);
    const description = chunk('desc', joined(rate, 'opus', u32be(0, 0, PACKET_FRAMES, 2, 0)));
    const sizes = sound.packets.flatMap(({ length }) => [0x80 | (length >> 7), length & 127]);
    const count = sound.packets.length;
    const table = chunk(
      'pakt',
      joined(u64be(BigInt(count)), u64be(BigInt(count * PACKET_FRAMES)), u32be(0, 0), Buffer.from(sizes)),
    );
    const data = chunk('data', joined(u32be(0), ...sound.packets));
    return joined('caff', u32be(0x10000), ...make({ description, table, data }, sound));
  };
}

export const MATROSKA_INPUTS: readonly HostileInput[] = [
  { name: 'webm with opus', make: webm(({ packets }) => [cluster(singly(packets))]), ends: 3 },
  {
    name: 'webm with clusters of unknown length',
    make: webm(({ packets }) => packets.map((packet) => cluster(singly([packet]), UNKNOWN)), UNKNOWN),
    ends: 3,
  },
  {
    name: 'webm cut off in a block',
    make: async (m) => (await webm(({ packets }) => [cluster(singly(packets))])(m)).subarray(0, -40),
    ends: 3,
  },
  {
    name: 'webm with a block of exabytes',
    make: webm(({ packets }) => [cluster(singly(packets)), cluster([element(0xa3, noise(50), 2 ** 47)])]),
    ends: 3,
  },
  {
    name: 'webm with a block longer than its cluster',
    make: webm(({ packets }) => [element(0x1f43b675, joined(...singly(packets)), 5_000)]),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'webm with laces that make no sense',
    make: webm(({ packets }) => [
      cluster(singly(packets)),
      cluster([
        element(0xa3, Buffer.of(0x81, 0, 0, 2, 255, 255, 255, 255)),
        element(0xa3, Buffer.of(0x81, 0, 0, 6, 3, 0x81, 0x80, 0x80, 1)),
        element(0xa3, Buffer.of(0x81, 0, 0, 4, 255)),
        element(0xa3, Buffer.of(0x81)),
        element(0xa3, Buffer.alloc(0)),
      ]),
    ]),
    ends: 3,
  },
  {
    name: 'webm with blocks of 256 empty frames',
    make: webm(({ packets }) => [
      cluster([...singly(packets), repeated(Buffer.of(0xa3, 0x85, 0x81, 0, 0, 4, 255), 30_000)]),
    ]),
    ends: 3,
  },
  {
    name: 'webm with blocks laced 256-fold',
    make: webm(({ packets: [packet = Buffer.alloc(0)] }) =>
      [1, 2].map(() =>
        cluster([
          element(
            0xa3,
            block(
              TRACK,
              Array.from({ length: 256 }, () => packet),
              'fixed',
            ),
          ),
        ]),
      ),
    ),
    ends: 6,
  },
  {
    name: 'webm that leaves out years of sound',
    make: webm(({ packets }) => [
      cluster([...singly(packets), blockGroup(TRACK, packets.slice(0, 1), 2 ** 62)]),
    ]),
    ends: 3,
  },
  {
    name: 'webm of elements inside each other, 100,000 deep',
    make: async (m) => {
      const { head } = await opus(m);
      return joined(EBML, segment([tracks(track(head))], UNKNOWN), repeated(cluster([], UNKNOWN), 100_000));
    },
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'webm with a million empty elements',
    make: webm(({ packets }) => [cluster([...singly(packets), repeated(Buffer.of(0xec, 0x80), 1_000_000)])]),
    ends: 3,
  },
  {
    name: 'webm with four million empty tags',
    make: webm(({ packets }) => [...tagElements(simpleTag('', '')), cluster(singly(packets))]),
    ends: 3,
  },
  {
    name: 'webm with three million years',
    make: webm(({ packets }) => [...tagElements(simpleTag('YEAR', '')), cluster(singly(packets))]),
    ends: 3,
  },
  {
    name: 'webm with 100,000 titles',
    make: webm(({ packets }) => [
      ...Array.from({ length: 100_000 }, () => element(0x1549a966, element(0x7ba9, 'A title'))),
      cluster(singly(packets)),
    ]),
    ends: 3,
  },
  {
    name: 'webm whose tracks are exabytes',
    make: async () => joined(EBML, segment([element(0x1654ae6b, noise(100), 2 ** 47)])),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'webm whose opus header is missing',
    make: async (m) => {
      const { packets } = await opus(m);
      return joined(EBML, segment([tracks(track(Buffer.alloc(0))), cluster(singly(packets))]));
    },
    ends: [3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'two webm files, one behind the other',
    make: async (m) => {
      const one = await webm(({ packets }) => [cluster(singly(packets))])(m);
      return joined(one, one);
    },
    ends: [3, 6],
  },
  { name: 'caf with opus', make: caf(({ description, table, data }) => [description, table, data]), ends: 3 },
  {
    name: 'caf whose table comes last',
    make: caf(({ description, table, data }) => [description, data, table]),
    ends: 3,
  },
  {
    name: 'caf without a table',
    make: caf(({ description, data }) => [description, data]),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'caf whose table claims more packets than there are bytes',
    make: caf(({ description, table, data }) => [
      description,
      joined(table.subarray(0, 12), u64be(2n ** 50n), table.subarray(20)),
      data,
    ]),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'caf whose table is exabytes',
    make: caf(({ description, data }) => [description, chunk('pakt', Buffer.alloc(24), 2n ** 60n), data]),
    ends: [1, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'caf with 190 chunks of a hundred thousand empty names',
    make: caf(({ description, table, data }) => [
      description,
      repeated(chunk('info', joined(u32be(0xffffffff), Buffer.alloc(199_000))), 190),
      table,
      data,
    ]),
    ends: { own: 3, converted: [3, 'UNSUPPORTED_MEDIA'] },
  },
  {
    name: 'caf whose sizes never end',
    make: caf(({ description, data }, { packets }) => [
      description,
      chunk(
        'pakt',
        joined(
          u64be(BigInt(packets.length)),
          u64be(BigInt(packets.length * PACKET_FRAMES)),
          u32be(0, 0),
          Buffer.alloc(4 * packets.length, 0xff),
        ),
      ),
      data,
    ]),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'caf of 100,000 chunks',
    make: caf(({ description, table, data }) => [
      description,
      repeated(chunk('free', Buffer.alloc(0)), 100_000),
      table,
      data,
    ]),
    ends: [3, 'UNSUPPORTED_MEDIA'],
  },
];
