/**
 * PCM in all containers that hold it, byte for byte, for tests: with and without padding at the end of
 * chunks. No two adjacent samples are equal, so that a misplaced one is noticed.
 */
export interface PcmSpec {
  readonly sampleCount: number;
  readonly channelCount: number;
  readonly sampleRateHz: number;
  /** 8, 16 or 24. */
  readonly bits: number;
}

type Endian = 'little' | 'big';

export const PCM_FILE_KINDS = [
  'wav',
  'wav with a list behind',
  'wav with an odd list in front',
  'wav without padding',
  'wav with data before fmt',
  'rifx',
  'rf64',
  'w64',
  'aiff',
  'aiff with a name behind',
  'aiff without padding',
  'aiff with samples before comm',
  'aifc',
  'au',
  'au of unknown size',
  'au with padding',
  'caf',
  'caf with padding',
] as const;

type PcmFileKind = (typeof PCM_FILE_KINDS)[number];

/** All channels, interleaved, as 24-bit numbers whose lower bits are set only if the file holds them. */
export function pcmValues({ sampleCount, channelCount, bits }: PcmSpec): number[] {
  return Array.from({ length: sampleCount * channelCount }, (_, index) => {
    const value = ((index * 7) % 200) - 100;
    return value * 2 ** 16 + (bits > 8 ? value * 2 ** 8 : 0);
  });
}

export function createPcmFile(kind: PcmFileKind, spec: PcmSpec): Buffer {
  const little = samplesOf(spec, 'little', 'offset');
  const big = samplesOf(spec, 'big', 'signed');
  switch (kind) {
    case 'wav':
      return riff('RIFF', 'little', [format(spec, 'little'), chunk('data', little)]);
    case 'wav with a list behind':
      return riff('RIFF', 'little', [format(spec, 'little'), chunk('data', little), LIST]);
    case 'wav with an odd list in front':
      return riff('RIFF', 'little', [LIST, format(spec, 'little'), chunk('data', little)]);
    case 'wav without padding':
      return unpadded(little, riff('RIFF', 'little', [format(spec, 'little'), chunk('data', little)]));
    case 'wav with data before fmt':
      return riff('RIFF', 'little', [chunk('data', little), format(spec, 'little')]);
    case 'rifx':
      return riff('RIFX', 'big', [
        format(spec, 'big'),
        chunk('data', samplesOf(spec, 'big', 'offset'), 'big'),
      ]);
    case 'rf64':
      return rf64(spec, little);
    case 'w64':
      return w64(spec, little);
    case 'aiff':
      return iff('AIFF', [common(spec), soundData(big)]);
    case 'aiff with a name behind':
      return iff('AIFF', [common(spec), soundData(big), chunk('NAME', Buffer.from('odd'), 'big')]);
    case 'aiff without padding':
      return unpadded(big, iff('AIFF', [common(spec), soundData(big)]));
    case 'aiff with samples before comm':
      return iff('AIFF', [soundData(big), common(spec)]);
    case 'aifc':
      return iff('AIFC', [common(spec, 'NONE'), soundData(big)]);
    case 'au':
      return au(spec, big, big.length);
    case 'au of unknown size':
      return au(spec, big, 0xffff_ffff);
    case 'au with padding':
      return Buffer.concat([au(spec, big, big.length), Buffer.alloc(1)]);
    case 'caf':
      return caf(spec, big);
    case 'caf with padding':
      return Buffer.concat([caf(spec, big), Buffer.from('free'), uint64(3n), Buffer.alloc(3)]);
    default:
      return kind satisfies never;
  }
}

/** An odd number of bytes. */
const LIST = chunk('LIST', Buffer.concat([Buffer.from('INFOINAM'), uint32(3, 'little'), Buffer.from('odd')]));

/** A sample of one byte is unsigned in RIFF and signed elsewhere. */
function samplesOf(spec: PcmSpec, endian: Endian, oneByte: 'offset' | 'signed'): Buffer {
  const sampleBytes = spec.bits / 8;
  const values = pcmValues(spec);
  const bytes = Buffer.alloc(values.length * sampleBytes);
  for (const [index, value] of values.entries()) {
    const at = index * sampleBytes;
    const scaled = value >> (24 - spec.bits);
    if (sampleBytes === 1) bytes.writeUInt8((oneByte === 'offset' ? scaled + 128 : scaled) & 0xff, at);
    else if (endian === 'little') bytes.writeIntLE(scaled, at, sampleBytes);
    else bytes.writeIntBE(scaled, at, sampleBytes);
  }
  return bytes;
}

function riff(id: string, endian: Endian, chunks: readonly Buffer[]): Buffer {
  return chunk(id, Buffer.concat([Buffer.from('WAVE'), ...chunks]), endian);
}

function iff(form: string, chunks: readonly Buffer[]): Buffer {
  return chunk('FORM', Buffer.concat([Buffer.from(form), ...chunks]), 'big');
}

function unpadded(samples: Buffer, file: Buffer): Buffer {
  return samples.length % 2 === 1 ? file.subarray(0, -1) : file;
}

function format(spec: PcmSpec, endian: Endian): Buffer {
  return chunk('fmt ', formatBody(spec, endian), endian);
}

function formatBody({ channelCount, sampleRateHz, bits }: PcmSpec, endian: Endian): Buffer {
  const blockBytes = (channelCount * bits) / 8;
  return Buffer.concat([
    uint16(1, endian),
    uint16(channelCount, endian),
    uint32(sampleRateHz, endian),
    uint32(sampleRateHz * blockBytes, endian),
    uint16(blockBytes, endian),
    uint16(bits, endian),
  ]);
}

function rf64(spec: PcmSpec, samples: Buffer): Buffer {
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(samples.length), 8);
  sizes.writeBigUInt64LE(BigInt(spec.sampleCount), 16);
  const file = riff('RF64', 'little', [chunk('ds64', sizes), format(spec, 'little'), chunk('data', samples)]);
  file.fill(0xff, 4, 8);
  file.fill(0xff, file.indexOf('data') + 4, file.indexOf('data') + 8);
  return file;
}

const W64_RIFF = Buffer.from('726966662e91cf11a5d628db04c10000', 'hex');
const W64_TAIL = Buffer.from('f3acd3118cd100c04f8edb8a', 'hex');

function w64(spec: PcmSpec, samples: Buffer): Buffer {
  const part = (id: string, body: Buffer): Buffer => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(24 + body.length));
    return Buffer.concat([Buffer.from(id), W64_TAIL, size, body, Buffer.alloc(-body.length & 7)]);
  };
  const body = Buffer.concat([
    Buffer.from('wave'),
    W64_TAIL,
    part('fmt ', formatBody(spec, 'little')),
    part('data', samples),
  ]);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(24 + body.length));
  return Buffer.concat([W64_RIFF, size, body]);
}

function common({ channelCount, sampleCount, bits, sampleRateHz }: PcmSpec, compression?: string): Buffer {
  // 80 bits of float: an exponent and 64 bits of mantissa.
  const exponent = 31 - Math.clz32(sampleRateHz);
  const rate = Buffer.concat([
    uint16(16_383 + exponent, 'big'),
    uint64(BigInt(sampleRateHz) << BigInt(63 - exponent)),
  ]);
  const body = [uint16(channelCount, 'big'), uint32(sampleCount, 'big'), uint16(bits, 'big'), rate];
  if (compression !== undefined) body.push(Buffer.from(compression), uint16(0, 'big'));
  return chunk('COMM', Buffer.concat(body), 'big');
}

function soundData(samples: Buffer): Buffer {
  return chunk('SSND', Buffer.concat([Buffer.alloc(8), samples]), 'big');
}

function au({ bits, sampleRateHz, channelCount }: PcmSpec, samples: Buffer, sizeBytes: number): Buffer {
  const fields = [24, sizeBytes, 1 + bits / 8, sampleRateHz, channelCount].map((field) =>
    uint32(field, 'big'),
  );
  return Buffer.concat([Buffer.from('.snd'), ...fields, samples]);
}

function caf({ bits, sampleRateHz, channelCount }: PcmSpec, samples: Buffer): Buffer {
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(sampleRateHz);
  const fields = [0, (channelCount * bits) / 8, 1, channelCount, bits].map((field) => uint32(field, 'big'));
  return Buffer.concat([
    Buffer.from('caff'),
    uint32(0x0001_0000, 'big'),
    Buffer.from('desc'),
    uint64(32n),
    rate,
    Buffer.from('lpcm'),
    ...fields,
    Buffer.from('data'),
    uint64(BigInt(4 + samples.length)),
    uint32(0, 'big'),
    samples,
  ]);
}

function chunk(id: string, body: Buffer, endian: Endian = 'little'): Buffer {
  return Buffer.concat([Buffer.from(id), uint32(body.length, endian), body, Buffer.alloc(body.length & 1)]);
}

function uint16(value: number, endian: Endian): Buffer {
  const bytes = Buffer.alloc(2);
  if (endian === 'little') bytes.writeUInt16LE(value);
  else bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number, endian: Endian): Buffer {
  const bytes = Buffer.alloc(4);
  if (endian === 'little') bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
