/** Containers built by hand: what no encoder at hand would write. */
import { encodePcm, SAMPLE_BYTES, type SampleFormat, type Sound } from './sound.ts';

export interface WaveOptions {
  readonly isExtensible?: boolean;
  readonly isRf64?: boolean;
  /** What the header says of the data's length instead of the truth. */
  readonly claimedDataBytes?: number;
}

const PCM_TAG = 1;
const FLOAT_TAG = 3;
const EXTENSIBLE_TAG = 0xfffe;
/** The rest of the sub-format's GUID behind its two bytes of format tag (Microsoft, WAVEFORMATEXTENSIBLE). */
const SUBFORMAT_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex');

export function createWave(sound: Sound, format: SampleFormat, options: WaveOptions = {}): Buffer {
  const data = encodePcm(sound, format);
  const fmt = formatChunk(sound, format, options.isExtensible === true);
  const pad = Buffer.alloc(data.length % 2);
  const claimed = options.claimedDataBytes ?? (options.isRf64 ? 0xffffffff : data.length);
  const dataHeader = chunkHeader('data', claimed);
  if (options.isRf64) {
    const ds64 = Buffer.alloc(28);
    const riffBytes = 4 + 8 + ds64.length + fmt.length + dataHeader.length + data.length + pad.length;
    ds64.writeBigUInt64LE(BigInt(riffBytes), 0);
    ds64.writeBigUInt64LE(BigInt(data.length), 8);
    ds64.writeBigUInt64LE(BigInt(sound.sampleCount), 16);
    const head = [
      chunkHeader('RF64', 0xffffffff),
      Buffer.from('WAVE'),
      chunkHeader('ds64', ds64.length),
      ds64,
    ];
    return Buffer.concat([...head, fmt, dataHeader, data, pad]);
  }
  const riffBytes = 4 + fmt.length + dataHeader.length + data.length + pad.length;
  return Buffer.concat([chunkHeader('RIFF', riffBytes), Buffer.from('WAVE'), fmt, dataHeader, data, pad]);
}

/** The `fmt ` chunk with its header. */
function formatChunk(sound: Sound, format: SampleFormat, isExtensible: boolean): Buffer {
  const sampleBytes = SAMPLE_BYTES[format];
  const tag = format === 'f32le' ? FLOAT_TAG : PCM_TAG;
  const body = Buffer.alloc(isExtensible ? 40 : 16);
  body.writeUInt16LE(isExtensible ? EXTENSIBLE_TAG : tag, 0);
  body.writeUInt16LE(sound.channelCount, 2);
  body.writeUInt32LE(sound.sampleRateHz, 4);
  body.writeUInt32LE(sound.sampleRateHz * sound.channelCount * sampleBytes, 8);
  body.writeUInt16LE(sound.channelCount * sampleBytes, 12);
  body.writeUInt16LE(8 * sampleBytes, 14);
  if (isExtensible) {
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(8 * sampleBytes, 18);
    body.writeUInt32LE(sound.channelCount === 2 ? 3 : 4, 20);
    body.writeUInt16LE(tag, 24);
    SUBFORMAT_TAIL.copy(body, 26);
  }
  return Buffer.concat([chunkHeader('fmt ', body.length), body]);
}

function chunkHeader(id: string, bytes: number): Buffer {
  const header = Buffer.alloc(8, id, 'latin1');
  header.writeUInt32LE(bytes, 4);
  return header;
}

/** ID3v2.3 with a title and a cover in front; an APEv2 tag and ID3v1 behind. */
export function wrapInTags(mp3: Buffer): Buffer {
  return Buffer.concat([createId3v2(), mp3, createApe(), createId3v1()]);
}

function createId3v2(): Buffer {
  const title = Buffer.from('\0Golden', 'latin1');
  const picture = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), createCover()]);
  const body = Buffer.concat([id3Frame('TIT2', title), id3Frame('APIC', picture), Buffer.alloc(32)]);
  const header = Buffer.from('ID3\x03\0\0', 'latin1');
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f));
  return Buffer.concat([header, size, body]);
}

function id3Frame(id: string, body: Buffer): Buffer {
  const header = Buffer.alloc(10, 0);
  header.write(id, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

/** A PNG of one grey pixel. */
function createCover(): Buffer {
  return Buffer.from(
    '89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55' +
      '0000000a4944415478da6368000000820081da45083b0000000049454e44ae426082',
    'hex',
  );
}

function createApe(): Buffer {
  const value = Buffer.from('Golden');
  const item = Buffer.concat([Buffer.alloc(8), Buffer.from('Title\0'), value]);
  item.writeUInt32LE(value.length, 0);
  const footer = Buffer.alloc(32);
  footer.write('APETAGEX', 'latin1');
  footer.writeUInt32LE(2000, 8);
  footer.writeUInt32LE(item.length + footer.length, 12);
  footer.writeUInt32LE(1, 16);
  return Buffer.concat([item, footer]);
}

function createId3v1(): Buffer {
  const tag = Buffer.alloc(128);
  tag.write('TAGGolden', 'latin1');
  return tag;
}

/** Puts Fraunhofer's kind of info frame in front of constant frames of `frameBytes` bytes. */
export function withVbriFrame(frames: Buffer, frameBytes: number): Buffer {
  const vbri = Buffer.alloc(frameBytes);
  frames.copy(vbri, 0, 0, 4);
  vbri.write('VBRI', 36, 'latin1');
  vbri.writeUInt16BE(1, 40);
  vbri.writeUInt32BE(frameBytes + frames.length, 46);
  vbri.writeUInt32BE(frames.length / frameBytes, 50);
  return Buffer.concat([vbri, frames]);
}
