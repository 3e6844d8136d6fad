/**
 * Where the audio of a source really ends, by its container.
 *
 * Encoders work in blocks, so the last block runs past the end; the container says by how much. Older
 * ffmpeg builds ignore that for Vorbis and AAC, and all do for an mp3 from a pipe, and decode the whole block. The container's figure is used
 * only where it explains an excess of less than a block, so a wrong one can never cut audio off.
 */
import { audibleMp3Samples } from './mp3-info.ts';
import { readRange, type SourceFile } from './source-file.ts';

/** The largest Vorbis block (Vorbis I section 4.2.2); AAC frames are shorter, also with SBR. */
const MAX_BLOCK_SAMPLES = 8_192;
const OGG_TAIL_BYTES = 128 * 1024;
const MAX_MOOV_BYTES = 64 * 1024 * 1024;

/** The number of audible samples, given how many the decoder made. */
export async function audibleSamples(
  source: SourceFile,
  decodedSamples: number,
  sampleRateHz: number,
): Promise<number> {
  const claimed = await claimedSamples(source, sampleRateHz);
  if (claimed === undefined) return decodedSamples;
  const excess = decodedSamples - claimed;
  return excess > 0 && excess < MAX_BLOCK_SAMPLES && claimed > 0 ? claimed : decodedSamples;
}

async function claimedSamples(source: SourceFile, sampleRateHz: number): Promise<number | undefined> {
  if (source.container === 'ogg') return lastGranule(source);
  if (source.container === 'mp4') return mp4Samples(source, sampleRateHz);
  // ffmpeg heeds the end that the LAME tag states only where it can seek.
  if (source.container === 'mp3') return audibleMp3Samples(source.path);
  return undefined;
}

/** The granule position of the last page: for Vorbis, the number of samples. */
async function lastGranule(source: SourceFile): Promise<number | undefined> {
  const start = Math.max(0, source.sizeBytes - OGG_TAIL_BYTES);
  const tail = await readRange(source.path, start, OGG_TAIL_BYTES);
  const page = tail.lastIndexOf('OggS');
  if (page < 0 || page + 14 > tail.length) return undefined;
  const granule = tail.readBigInt64LE(page + 6);
  return granule > 0n && granule <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(granule) : undefined;
}

/** The media's length less the samples that its edit list skips, where the media counts in samples. */
async function mp4Samples(source: SourceFile, sampleRateHz: number): Promise<number | undefined> {
  const moov = await findMoov(source);
  const trak = moov && boxes(moov).find((box) => box.type === 'trak' && isAudio(box.body))?.body;
  const mdhd = trak && descend(trak, 'mdia', 'mdhd');
  const elst = trak && descend(trak, 'edts', 'elst');
  if (mdhd === undefined || elst === undefined || mdhd.length < (mdhd[0] === 1 ? 36 : 24)) return undefined;
  const wide = mdhd[0] === 1;
  if (mdhd.readUInt32BE(wide ? 20 : 12) !== sampleRateHz || elst.length < (elst[0] === 1 ? 28 : 20))
    return undefined;
  const duration = wide ? Number(mdhd.readBigUInt64BE(24)) : mdhd.readUInt32BE(16);
  const mediaTime = elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12);
  return elst.readUInt32BE(4) === 1 && mediaTime >= 0 ? duration - mediaTime : undefined;
}

function isAudio(trak: Buffer): boolean {
  return descend(trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'soun';
}

/** The body of the `moov` box, read from wherever it lies. */
export async function findMoov(source: SourceFile): Promise<Buffer | undefined> {
  let offset = 0;
  while (offset + 16 <= source.sizeBytes) {
    const head = await readRange(source.path, offset, 16);
    const size32 = head.readUInt32BE(0);
    const size =
      size32 === 1 ? Number(head.readBigUInt64BE(8)) : size32 === 0 ? source.sizeBytes - offset : size32;
    if (size < 8) return undefined;
    if (head.toString('latin1', 4, 8) === 'moov') {
      return size <= MAX_MOOV_BYTES ? readRange(source.path, offset + 8, size - 8) : undefined;
    }
    offset += size;
  }
  return undefined;
}

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** The child boxes; those within a moov are never large enough for 64-bit sizes. */
export function boxes(bytes: Buffer): readonly Box[] {
  const found: Box[] = [];
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(offset);
    if (size < 8) break;
    found.push({
      type: bytes.toString('latin1', offset + 4, offset + 8),
      body: bytes.subarray(offset + 8, offset + size),
    });
    offset += size;
  }
  return found;
}

export function descend(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  return path.reduce<Buffer | undefined>(
    (parent, type) => parent && boxes(parent).find((box) => box.type === type)?.body,
    bytes,
  );
}
