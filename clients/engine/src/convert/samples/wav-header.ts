/** RIFF/WAVE headers: reads those that ffmpeg streams, and writes those of segments. */
import type { PcmFormat, PcmShape } from '../../formats/formats.ts';
import { type Tags, TRACK_COUNT } from '../tags/tags.ts';

const SAMPLE_BYTES: Readonly<Record<PcmFormat, number>> = {
  u8: 1,
  s16le: 2,
  s24le: 3,
  s32le: 4,
  f32le: 4,
  f64le: 8,
};

/** Bytes of one sample, all channels together. */
export function frameBytes(pcm: Pick<PcmShape, 'format' | 'channelCount'>): number {
  return SAMPLE_BYTES[pcm.format] * pcm.channelCount;
}

export interface StreamedWavHeader {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly headerBytes: number;
  /** As the header states it; any value if it was written before the samples. */
  readonly claimedBytes: number;
  readonly bytesPerSecond: number;
}

/** The value in RF64 where RIFF has the size of the data. */
const SIZE_IN_DS64 = 0xffff_ffff;

/** Reads the header of a WAV stream; undefined while `bytes` do not yet reach its data chunk. */
export function parseWavHeader(bytes: Buffer): StreamedWavHeader | undefined {
  let offset = 12;
  let format: { sampleRateHz: number; channelCount: number; bytesPerSecond: number } | undefined;
  let dataBytes64: number | undefined;
  while (offset + 8 <= bytes.length) {
    const id = bytes.toString('latin1', offset, offset + 4);
    const size = bytes.readUInt32LE(offset + 4);
    if (id === 'data') {
      const claimedBytes = size === SIZE_IN_DS64 ? (dataBytes64 ?? size) : size;
      return format && { ...format, headerBytes: offset + 8, claimedBytes };
    }
    if (id === 'ds64' && offset + 24 <= bytes.length)
      dataBytes64 = Number(bytes.readBigUInt64LE(offset + 16));
    if (id === 'fmt ' && offset + 20 <= bytes.length) {
      format = {
        channelCount: bytes.readUInt16LE(offset + 10),
        sampleRateHz: bytes.readUInt32LE(offset + 12),
        bytesPerSecond: bytes.readUInt32LE(offset + 16),
      };
    }
    offset += 8 + size + (size & 1);
  }
  return undefined;
}

const WAVE_FORMAT_PCM = 1;
const WAVE_FORMAT_IEEE_FLOAT = 3;
const WAVE_FORMAT_EXTENSIBLE = 0xfffe;
/** The tail that all WAVEFORMATEXTENSIBLE sub-formats share (KSDATAFORMAT_SUBTYPE). */
const SUBTYPE_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex');
/**
 * Default speaker masks by number of channels: 1 to 8 (mono, stereo, 2.1 as 3.0, quad, 5.0, 5.1, 6.1, 7.1).
 */
const SPEAKERS = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x13f, 0x63f];
const RIFF_MAX = 0xffff_ffff;

/** A chunk is padded to an even length; the pad byte belongs to the file but not to the chunk's size. */
export function wavPadBytes(dataBytes: number): number {
  return dataBytes & 1;
}

/**
 * The header of a WAV file with `sampleCount` samples. Above two channels or 16 bit it is extensible, as the
 * format requires; files beyond RIFF's 32 bits become RF64 (EBU Tech 3306). Tags go into a LIST chunk before
 * the samples. If `mostSamples` is given, a header of fewer samples is as long as the header for that number.
 */
export function buildWavHeader(
  pcm: PcmShape,
  sampleCount: number,
  tags: Tags,
  mostSamples = sampleCount,
): Buffer {
  const blockBytes = frameBytes(pcm);
  const dataBytes = blockBytes * sampleCount;
  const format = Buffer.concat([formatChunk(pcm, blockBytes), infoChunk(tags)]);
  const restBytes = 4 + format.length + 8 + dataBytes + wavPadBytes(dataBytes);
  if (restBytes + blockBytes * (mostSamples - sampleCount) <= RIFF_MAX) {
    return Buffer.concat([
      chunkHead('RIFF', restBytes),
      Buffer.from('WAVE'),
      format,
      chunkHead('data', dataBytes),
    ]);
  }
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(restBytes + 36), 0);
  sizes.writeBigUInt64LE(BigInt(dataBytes), 8);
  sizes.writeBigUInt64LE(BigInt(sampleCount), 16);
  return Buffer.concat([
    chunkHead('RF64', RIFF_MAX),
    Buffer.from('WAVE'),
    chunkHead('ds64', sizes.length),
    sizes,
    format,
    chunkHead('data', RIFF_MAX),
  ]);
}

function formatChunk(pcm: PcmShape, blockBytes: number): Buffer {
  const bits = SAMPLE_BYTES[pcm.format] * 8;
  const tag = pcm.format.startsWith('f') ? WAVE_FORMAT_IEEE_FLOAT : WAVE_FORMAT_PCM;
  const extensible = pcm.channelCount > 2 || (tag === WAVE_FORMAT_PCM && bits > 16);
  const body = Buffer.alloc(extensible ? 40 : 16);
  body.writeUInt16LE(extensible ? WAVE_FORMAT_EXTENSIBLE : tag, 0);
  body.writeUInt16LE(pcm.channelCount, 2);
  body.writeUInt32LE(pcm.sampleRateHz, 4);
  body.writeUInt32LE(pcm.sampleRateHz * blockBytes, 8);
  body.writeUInt16LE(blockBytes, 12);
  body.writeUInt16LE(bits, 14);
  if (extensible) {
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(bits, 18);
    body.writeUInt32LE(SPEAKERS[pcm.channelCount] ?? 0, 20);
    body.writeUInt16LE(tag, 24);
    SUBTYPE_TAIL.copy(body, 26);
  }
  return Buffer.concat([chunkHead('fmt ', body.length), body]);
}

/** The names of RIFF's INFO list (Microsoft Multimedia Programming Interface 1.0, chapter 2). */
const INFO_NAMES: ReadonlyMap<string, string> = new Map([
  ['title', 'INAM'],
  ['artist', 'IART'],
  ['album', 'IPRD'],
  ['composer', 'IMUS'],
  ['genre', 'IGNR'],
  ['date', 'ICRD'],
  ['copyright', 'ICOP'],
  ['track', 'IPRT'],
]);

/** As most taggers write it. */
const COUNTED_TRACK = 'ITRK';

function infoChunk(tags: Tags): Buffer {
  const trackCount = tags.get(TRACK_COUNT);
  const entries = [...tags].flatMap(([name, value]) => {
    const isCounted = name === 'track' && trackCount !== undefined;
    const id = isCounted ? COUNTED_TRACK : INFO_NAMES.get(name);
    if (id === undefined) return [];
    const text = Buffer.from(isCounted ? `${value}/${trackCount}\0` : `${value}\0`);
    return [chunkHead(id, text.length), text, Buffer.alloc(text.length & 1)];
  });
  if (entries.length === 0) return Buffer.alloc(0);
  const body = Buffer.concat([Buffer.from('INFO'), ...entries]);
  return Buffer.concat([chunkHead('LIST', body.length), body]);
}

function chunkHead(id: string, size: number): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(size, 4);
  return head;
}
