/**
 * Where the audio of a source really ends, according to its container.
 *
 * Encoders work in blocks, so the last block extends beyond the end, and the container states by how much.
 * Older ffmpeg builds ignore that for Vorbis and AAC, and all builds ignore it for an mp3 from a pipe: they
 * decode the whole block. The container's figure is used only if it explains an excess of less than a block,
 * so a wrong figure can never cut audio off.
 */
import { findBox, firstBox } from '../../copy/m4a/boxes.ts';
import { type SourceBytes, TAIL_BYTES } from '../input/source-bytes.ts';
import { auSamples } from '../samples/au-samples.ts';
import { findMoov, isAudioTrack } from './movie-index.ts';
import { audibleMp3Samples } from './mp3-info.ts';

/** The largest Vorbis block (Vorbis I section 4.2.2); AAC frames are shorter, also with SBR. */
export const MAX_BLOCK_SAMPLES = 8_192;

/** Returns the number of audible samples for a number of decoded ones. Call it after the source was read. */
export type EndTrim = (decodedSamples: number) => Promise<number>;

/**
 * Reads what the source's beginning states about its end. The result is less than a block before the
 * decoder's end.
 */
export async function readEndTrim(source: SourceBytes, sampleRateHz: number): Promise<EndTrim> {
  const claim = await readClaim(source, sampleRateHz);
  return async (decodedSamples) => {
    const claimed = await claim();
    if (claimed === undefined) return decodedSamples;
    const excess = decodedSamples - claimed;
    return excess > 0 && excess < MAX_BLOCK_SAMPLES && claimed > 0 ? claimed : decodedSamples;
  };
}

type Claim = () => Promise<number | undefined>;

async function readClaim(source: SourceBytes, sampleRateHz: number): Promise<Claim> {
  if (source.container === 'ogg') return () => lastGranule(source);
  const samples = await samplesByHead(source, sampleRateHz);
  return async () => samples;
}

/** The length that the beginning of a source states, exact to the sample. */
export async function samplesByHead(source: SourceBytes, sampleRateHz: number): Promise<number | undefined> {
  if (source.container === 'mp4') return mp4Samples(source, sampleRateHz);
  // ffmpeg applies the end that the LAME tag states only if it can seek.
  if (source.container === 'mp3') return audibleMp3Samples(source.head);
  if (source.container === 'au') return auSamples(source);
  if (source.container === 'dsf') return dsfSamples(await source.head(0, DSF_HEAD_BYTES), sampleRateHz);
  return undefined;
}

const DSF_HEAD_BYTES = 72;

/**
 * The last block of a DSF, 4,096 bytes per channel, is filled with bits that are not audio (DSF File Format
 * Specification 1.01); old decoders play them as a click. The header counts in bits, and the decoder returns
 * one sample for eight.
 */
function dsfSamples(head: Buffer, sampleRateHz: number): number | undefined {
  if (head.length < DSF_HEAD_BYTES) return undefined;
  const bitRateHz = head.readUInt32LE(56);
  const bitCount = Number(head.readBigUInt64LE(64));
  return bitRateHz === 0 ? undefined : Math.floor((bitCount * sampleRateHz) / bitRateHz);
}

/** The granule position of the last page: for Vorbis, the number of samples. */
export async function lastGranule(source: SourceBytes): Promise<number | undefined> {
  const tail = await source.tail(TAIL_BYTES);
  const page = tail.lastIndexOf('OggS');
  if (page < 0 || page + 14 > tail.length) return undefined;
  const granule = tail.readBigInt64LE(page + 6);
  return granule > 0n && granule <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(granule) : undefined;
}

/** The media's length minus the samples that its edit list skips, if the media counts in samples. */
async function mp4Samples(source: SourceBytes, sampleRateHz: number): Promise<number | undefined> {
  const moov = await findMoov(source);
  const trak = moov && firstBox(moov, ({ type, body }) => type === 'trak' && isAudioTrack(body))?.body;
  const mdhd = trak && findBox(trak, 'mdia', 'mdhd');
  const elst = trak && findBox(trak, 'edts', 'elst');
  if (mdhd === undefined || elst === undefined || mdhd.length < (mdhd[0] === 1 ? 36 : 24)) return undefined;
  const wide = mdhd[0] === 1;
  if (mdhd.readUInt32BE(wide ? 20 : 12) !== sampleRateHz || elst.length < (elst[0] === 1 ? 28 : 20))
    return undefined;
  const duration = wide ? Number(mdhd.readBigUInt64BE(24)) : mdhd.readUInt32BE(16);
  const mediaTime = elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12);
  return elst.readUInt32BE(4) === 1 && mediaTime >= 0 ? duration - mediaTime : undefined;
}
