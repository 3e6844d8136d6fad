import { joined, latin1, repeated, u16le, u32le, u64le } from './bytes.ts';
import type { HostileInput } from './hostile-input.ts';

function chunk(id: string, body: Uint8Array, claimedBytes = body.length): Buffer {
  return joined(id, u32le(claimedBytes), body, Buffer.alloc(body.length % 2));
}

interface Format {
  readonly tag?: number;
  readonly channels?: number;
  readonly rateHz?: number;
  readonly byteRate?: number;
  readonly blockBytes?: number;
  readonly bits?: number;
}

function format(fields: Format = {}): Buffer {
  const { tag = 1, channels = 2, rateHz = 44_100, byteRate = 176_400, blockBytes = 4, bits = 16 } = fields;
  return chunk('fmt ', joined(u16le(tag, channels), u32le(rateHz, byteRate), u16le(blockBytes, bits)));
}

/** 3 s of 16-bit stereo at 44.1 kHz. */
const SOUND = repeated(u16le(1, 2, 60_000, 4), 3 * 22_050);

function wave(...chunks: readonly Uint8Array[]): Buffer {
  const body = joined('WAVE', ...chunks);
  return joined('RIFF', u32le(body.length), body);
}

function rf64(ds64: Uint8Array, ...chunks: readonly Uint8Array[]): Buffer {
  return joined('RF64', u32le(0xffffffff), 'WAVE', ds64, ...chunks);
}

function ds64(riffBytes: bigint, dataBytes: bigint, sampleCount: bigint, tableLength = 0): Buffer {
  return chunk('ds64', joined(u64le(riffBytes), u64le(dataBytes), u64le(sampleCount), u32le(tableLength)));
}

const UNKNOWN_SUBTYPE = joined(
  u16le(0xfffe, 2),
  u32le(44_100, 176_400),
  u16le(4, 16, 22, 16),
  u32le(3),
  'no such subtype!',
);

export const RIFF_INPUTS: readonly HostileInput[] = [
  { name: 'wav cut off', make: async (m) => (await m.audio('a.wav')).subarray(0, 700_001), ends: 2 },
  {
    name: 'wav of a stream, its sizes unknown',
    make: () => joined('RIFF', u32le(0xffffffff), 'WAVE', format(), chunk('data', SOUND, 0xffffffff)),
    ends: 2,
  },
  {
    name: 'wav whose data is said to be empty',
    make: () => wave(format(), chunk('data', SOUND, 0)),
    ends: 2,
  },
  { name: 'wav that claims 2 GB', make: () => wave(format(), chunk('data', SOUND, 0x7fffffff)), ends: 2 },
  {
    name: 'wav that claims 4 GB and holds 10 bytes',
    make: () => wave(format(), chunk('data', Buffer.alloc(10), 0xfffffff0)),
    ends: 1,
  },
  {
    name: 'wav with a format of zeros',
    make: () =>
      wave(format({ channels: 0, rateHz: 0, byteRate: 0, blockBytes: 0, bits: 0 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of 0 channels',
    make: () => wave(format({ channels: 0 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of 65535 channels',
    make: () => wave(format({ channels: 65_535, blockBytes: 65_534 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav at 0 Hz',
    make: () => wave(format({ rateHz: 0, byteRate: 0 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav at 4 GHz',
    make: () => wave(format({ rateHz: 0xffffffff }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of 1 Hz',
    make: () => wave(format({ rateHz: 1, byteRate: 4 }), chunk('data', SOUND.subarray(0, 28))),
    ends: { own: 4, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'wav in blocks of no bytes',
    make: () => wave(format({ blockBytes: 0 }), chunk('data', SOUND)),
    ends: 2,
  },
  {
    name: 'wav of 0 bits',
    make: () => wave(format({ bits: 0 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of 65535 bits',
    make: () => wave(format({ bits: 65_535 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of an unknown codec',
    make: () => wave(format({ tag: 0x4242 }), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of an unknown extensible subtype',
    make: () => wave(chunk('fmt ', UNKNOWN_SUBTYPE), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav with a format of 2 GB',
    make: () => wave(chunk('fmt ', Buffer.alloc(16), 0x7fffffff), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav whose data comes before its format',
    make: () => wave(chunk('data', SOUND), format()),
    ends: 2,
  },
  {
    name: 'wav without data',
    make: () => wave(format(), chunk('LIST', latin1('INFO'))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav of two data chunks',
    make: () => wave(format(), chunk('data', SOUND), chunk('data', SOUND)),
    ends: { own: 2, converted: 3 },
  },
  {
    name: 'wav behind 20,000 empty chunks',
    make: () => wave(repeated(chunk('JUNK', Buffer.alloc(0)), 20_000), format(), chunk('data', SOUND)),
    ends: 2,
  },
  {
    name: 'wav with a chunk whose size wraps around',
    make: () => wave(chunk('LIST', Buffer.alloc(4), 0xfffffff7), format(), chunk('data', SOUND)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'wav with 10 MB of title',
    make: () =>
      wave(
        format(),
        chunk('LIST', joined('INFO', chunk('INAM', Buffer.alloc(10_000_000, 'x')))),
        chunk('data', SOUND),
      ),
    ends: 2,
  },
  {
    name: 'wav full of INFO sizes that lie',
    make: () =>
      wave(
        format(),
        chunk(
          'LIST',
          joined('INFO', chunk('INAM', latin1('abcd'), 0xffffffff), chunk('IART', latin1('x'), 0x80000000)),
        ),
        chunk('data', SOUND),
      ),
    ends: 2,
  },
  {
    name: 'RF64 whose ds64 claims exabytes',
    make: () => rf64(ds64(1n << 62n, 1n << 62n, 1n << 60n), format(), chunk('data', SOUND, 0xffffffff)),
    ends: 2,
  },
  {
    name: 'RF64 whose sizes are negative',
    make: () => rf64(ds64(-1n, -1n, -1n), format(), chunk('data', SOUND, 0xffffffff)),
    ends: { own: 2, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'RF64 with a table of 4 billion rows',
    make: () =>
      rf64(
        ds64(600_000n, BigInt(SOUND.length), 132_300n, 0xffffffff),
        format(),
        chunk('data', SOUND, 0xffffffff),
      ),
    ends: 2,
  },
  {
    name: 'RF64 without a ds64',
    make: () => rf64(Buffer.alloc(0), format(), chunk('data', SOUND, 0xffffffff)),
    ends: { own: 2, converted: 'UNSUPPORTED_MEDIA' },
  },
  {
    name: 'RF64 of 7 hours that ends after 3 s',
    make: () =>
      rf64(ds64(4_586_400_072n, 4_586_400_000n, 1_146_600_000n), format(), chunk('data', SOUND, 0xffffffff)),
    ends: 2,
  },
  { name: 'a true RF64', make: (m) => m.audio('rf64.wav', '-rf64', 'always'), ends: 3 },
  {
    name: 'wav of 8 bits',
    make: (m) => m.audio('u8.wav', '-ar', '8000', '-ac', '1', '-c:a', 'pcm_u8'),
    ends: 3,
  },
  { name: 'wav of 24 bits', make: (m) => m.audio('s24.wav', '-ar', '48000', '-c:a', 'pcm_s24le'), ends: 3 },
  { name: 'wav of floats', make: (m) => m.audio('f32.wav', '-ar', '48000', '-c:a', 'pcm_f32le'), ends: 3 },
  {
    name: 'wav of Microsoft ADPCM',
    make: (m) => m.audio('adpcm.wav', '-ar', '8000', '-ac', '1', '-c:a', 'adpcm_ms'),
    ends: 4,
  },
  {
    name: 'wav of µ-law',
    make: (m) => m.audio('mulaw.wav', '-ar', '8000', '-ac', '1', '-c:a', 'pcm_mulaw'),
    ends: 3,
  },
  { name: 'wav of six channels', make: (m) => m.audio('s51.wav', '-ac', '6'), ends: 3 },
];
