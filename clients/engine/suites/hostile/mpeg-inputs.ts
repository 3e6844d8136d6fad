import { joined, latin1, noise, patched, repeated, u32be, u32le } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

const UNTAGGED = ['-id3v2_version', '0', '-write_xing', '0'];

/** 128 kbit/s without any tag. */
function bare({ audio }: Material): Promise<Buffer> {
  return audio('bare.mp3', '-b:a', '128k', ...UNTAGGED);
}

function tagged({ audio }: Material): Promise<Buffer> {
  return audio('a.mp3', '-b:a', '128k', '-id3v2_version', '0');
}

function adts({ audio }: Material): Promise<Buffer> {
  return audio('a.aac', '-c:a', 'aac');
}

function syncsafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}

/** ID3v2 (id3.org, sections 3.1 and 4). */
function id3(body: Uint8Array, { version = 4, flags = 0, claimedBytes = body.length } = {}): Buffer {
  return joined('ID3', Buffer.of(version, 0, flags), syncsafe(claimedBytes), body);
}

function frame(id: string, body: Uint8Array, { flags = 0, claimedBytes = body.length } = {}): Buffer {
  return joined(id, syncsafe(claimedBytes), Buffer.of(flags >> 8, flags & 255), body);
}

const COMPRESSED = 0x09;
const ENCRYPTED = 0x04;
const UNSYNCHRONISED_TAG = 0x80;
const EXTENDED_TAG = 0x40;
const FOOTER_TAG = 0x10;

function behind(tag: (material: Material) => Uint8Array) {
  return async (material: Material) => joined(tag(material), await bare(material));
}

/** The Xing or Info frame's fields, from its flags on. */
function withInfo(replacement: Uint8Array, offset = 4) {
  return async (material: Material) => {
    const file = await tagged(material);
    const at = Math.max(file.indexOf('Info', 0, 'latin1'), file.indexOf('Xing', 0, 'latin1'));
    return patched(file, at + offset, replacement);
  };
}

/** Silence at 128 kbit/s and 44.1 kHz, in frames of 417 bytes. */
const SILENT_FRAME = joined('\u00ff\u00fb\u0090\u00c4', Buffer.alloc(413));

/** An ADTS header (ISO/IEC 13818-7 section 6.2) of AAC LC. */
function adtsFrame({ rate = 4, channels = 2, sizeBytes = 100, blocks = 0 }): Buffer {
  const bits = [
    0xff,
    0xf1,
    0x40 | (rate << 2) | (channels >> 2),
    (channels << 6) | (sizeBytes >> 11),
    sizeBytes >> 3,
    (sizeBytes << 5) | 0x1f,
    0xfc | blocks,
  ];
  return joined(Buffer.from(bits), Buffer.alloc(Math.max(0, sizeBytes - 7)));
}

const APE_FOOTER = joined('APETAGEX', u32le(2_000, 0xfffffff0, 0xffffffff, 0, 0, 0));

export const MPEG_INPUTS: readonly HostileInput[] = [
  { name: 'mp3 cut off', make: async (m) => (await tagged(m)).subarray(0, 60_001), ends: 2 },
  {
    name: 'mp3 with junk between its frames',
    make: async (m) => {
      const file = await bare(m);
      return joined(
        ...[0, 1, 2, 3].flatMap((part) => [
          file.subarray(part * 20_000, (part + 1) * 20_000),
          noise(700 * part + 1),
          joined('TAG', Buffer.alloc(125, 'x')),
        ]),
      );
    },
    ends: 3,
  },
  {
    name: 'mp3 that changes its rate and channels',
    make: async (m) =>
      joined(await tagged(m), await m.audio('b.mp3', '-ar', '48000', '-ac', '1', '-b:a', '64k')),
    ends: 6,
  },
  {
    name: 'mp3 that goes on as MPEG-2',
    make: async (m) =>
      joined(await bare(m), await m.audio('c.mp3', '-ar', '22050', '-b:a', '64k', ...UNTAGGED)),
    ends: 6,
  },
  { name: 'mp3 that goes on as ADTS', make: async (m) => joined(await bare(m), await adts(m)), ends: 3 },
  {
    name: 'mp3 that says it has 4 billion frames',
    make: withInfo(u32be(0x0f, 0xffffffff, 0xffffffff)),
    ends: 3,
  },
  { name: 'mp3 that says it has no frames', make: withInfo(u32be(0x0f, 0, 0)), ends: 3 },
  {
    name: 'mp3 whose delay and padding are as long as can be',
    make: withInfo(Buffer.alloc(3, 0xff), 120 + 21),
    ends: 3,
  },
  { name: 'mp3 of 10 ms', make: (m) => m.audio('tiny.mp3', '-t', '0.01'), ends: 1 },
  {
    name: 'mp3 that is all padding',
    make: async (m) =>
      patched(
        await m.audio('pad.mp3', '-t', '0.05', '-id3v2_version', '0'),
        36 + 120 + 21,
        Buffer.alloc(3, 0xff),
      ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'mp3 with a VBRI that lies',
    make: async (m) =>
      joined(
        patched(
          SILENT_FRAME,
          36,
          joined('VBRI\0\u0001\u00ff\u00ff\0d', u32be(0xffffffff, 0xffffffff), repeated(Buffer.of(255), 8)),
        ),
        await bare(m),
      ),
    ends: 3,
  },
  {
    name: 'mp3 of free format',
    make: () => repeated(patched(SILENT_FRAME, 2, Buffer.of(0x00)), 300),
    ends: 'UNSUPPORTED_MEDIA',
  },
  { name: 'mp3 of silence', make: () => repeated(SILENT_FRAME, 160), ends: 3 },
  {
    name: 'mp3 that begins amid a reservoir',
    make: async (m) => (await bare(m)).subarray(417 * 50),
    ends: 3,
  },
  { name: 'mp3 of nothing but 0xff', make: () => Buffer.alloc(1_000_000, 0xff), ends: 'UNSUPPORTED_MEDIA' },
  {
    name: 'mp3 of headers alone',
    make: () => repeated(latin1('\u00ff\u00fb\u0090\u0064'), 100_000),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'mp3 of two frames and 1 MB of zeros',
    make: () => joined(SILENT_FRAME, SILENT_FRAME, Buffer.alloc(1_000_000)),
    ends: 1,
  },
  {
    name: 'mp3 at 8 kbit/s',
    make: (m) => m.audio('8k.mp3', '-ac', '1', '-ar', '8000', '-b:a', '8k'),
    ends: 3,
  },
  {
    name: 'mp3 of MPEG-2',
    make: (m) => m.audio('22k.mp3', '-ac', '1', '-ar', '22050', '-b:a', '32k'),
    ends: 3,
  },
  { name: 'mp3 at 320 kbit/s', make: (m) => m.audio('320k.mp3', '-ar', '48000', '-b:a', '320k'), ends: 3 },
  { name: 'mp3 without tags', make: bare, ends: 3 },
  { name: 'mp2', make: (m) => m.audio('a.mp2'), ends: 3 },
  {
    name: 'mp3 behind an ID3 tag that claims 256 MB',
    make: behind(() => id3(Buffer.alloc(0), { claimedBytes: 0xfffffff })),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'source that is nothing but an ID3 tag',
    make: () => id3(frame('TIT2', latin1('\u0003x'))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'mp3 behind 10,000 ID3 tags',
    make: behind(() => repeated(id3(Buffer.alloc(20)), 10_000)),
    ends: 3,
  },
  {
    name: 'mp3 behind an ID3 tag in an ID3 tag in an ID3 tag',
    make: behind(() => id3(id3(id3(frame('TIT2', latin1('\u0003x')))))),
    ends: 3,
  },
  {
    name: 'mp3 with ID3 frames that are larger than their tag',
    make: behind(() =>
      id3(
        joined(
          frame('TIT2', latin1('\u0003a'), { claimedBytes: 0xfffffff }),
          frame('APIC', latin1('\0image/jpeg\0\u0003\0\u00ff\u00d8\u00ff'), { claimedBytes: 0xffffff }),
        ),
      ),
    ),
    ends: 3,
  },
  {
    name: 'mp3 with 50,000 empty ID3 frames',
    make: behind(() => id3(repeated(frame('TXXX', Buffer.alloc(0)), 50_000))),
    ends: 3,
  },
  {
    name: 'mp3 with compressed and encrypted ID3 frames',
    make: behind(() =>
      id3(
        joined(
          frame('TIT2', noise(100), { flags: COMPRESSED }),
          frame('TPE1', noise(100), { flags: ENCRYPTED }),
        ),
      ),
    ),
    ends: 3,
  },
  {
    name: 'mp3 with an ID3 tag that claims to be unsynchronised',
    make: behind(() =>
      id3(frame('TIT2', repeated(Buffer.of(0xff, 0x00), 500)), { flags: UNSYNCHRONISED_TAG, version: 3 }),
    ),
    ends: 3,
  },
  {
    name: 'mp3 with an extended ID3 header of 4 GB',
    make: behind(() =>
      id3(joined(u32be(0xffffffff), frame('TIT2', latin1('\u0003x'))), { flags: EXTENDED_TAG, version: 3 }),
    ),
    ends: { own: 3, converted: 1 },
  },
  {
    name: 'mp3 with an ID3 footer',
    make: behind(() =>
      joined(
        id3(frame('TIT2', latin1('\u0003x')), { flags: FOOTER_TAG }),
        '3DI',
        Buffer.of(4, 0, FOOTER_TAG),
        syncsafe(12),
      ),
    ),
    ends: 3,
  },
  {
    name: 'mp3 with an ID3 tag of version 2.2',
    make: behind(() =>
      id3(joined('TT2', Buffer.of(0, 0, 2), '\0x', 'PIC', Buffer.of(255, 255, 255), '\0JPG'), { version: 2 }),
    ),
    ends: 3,
  },
  {
    name: 'mp3 with an ID3 tag of version 255',
    make: behind(() => id3(noise(300), { version: 255 })),
    ends: 3,
  },
  {
    name: 'mp3 with an APE tag of 4 billion items',
    make: async (m) => joined(await bare(m), APE_FOOTER),
    ends: 3,
  },
  {
    name: 'mp3 that begins with an APE tag of 4 GB',
    make: async (m) => joined(APE_FOOTER, await bare(m)),
    ends: 3,
  },
  {
    name: 'mp3 with 8 MB of cover',
    make: behind(() =>
      id3(
        frame(
          'APIC',
          joined('\0image/jpeg\0\u0003\0\u00ff\u00d8\u00ff\u00e0', Buffer.alloc(8_000_000, 0x33)),
        ),
      ),
    ),
    ends: 3,
  },
  { name: 'ADTS cut off', make: async (m) => (await adts(m)).subarray(0, 60_001), ends: 2 },
  {
    name: 'ADTS that changes its rate',
    make: async (m) =>
      joined(await adts(m), await m.audio('b.aac', '-c:a', 'aac', '-ar', '48000', '-ac', '1')),
    ends: 6,
  },
  {
    name: 'ADTS with frames shorter than their header',
    make: () => repeated(adtsFrame({ sizeBytes: 3 }), 5_000),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'ADTS of headers alone',
    make: () => repeated(adtsFrame({ sizeBytes: 8 }), 5_000),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'ADTS at a rate that does not exist',
    make: () => repeated(adtsFrame({ rate: 15 }), 500),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'ADTS without channels',
    make: () => repeated(adtsFrame({ channels: 0 }), 500),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'ADTS with four blocks in a frame',
    make: async (m) => {
      const file = Buffer.from(await adts(m));
      for (
        let at = 0;
        at < file.length;
        at +=
          ((file.readUInt8(at + 3) & 3) << 11) | (file.readUInt8(at + 4) << 3) | (file.readUInt8(at + 5) >> 5)
      )
        file.writeUInt8(file.readUInt8(at + 6) | 3, at + 6);
      return file;
    },
    ends: { own: 3, converted: 3 },
  },
  {
    name: 'ADTS of noise behind sound headers',
    make: () =>
      joined(
        ...Array.from({ length: 300 }, (_, index) =>
          joined(adtsFrame({ sizeBytes: 207 }).subarray(0, 7), noise(200, index)),
        ),
      ),
    ends: { own: 4, converted: 'UNSUPPORTED_MEDIA' },
  },
];
