/** The number of samples that a finished segment plays, as its own container states it to any player. */

import { ENCODINGS, type EncodingName } from '../../formats/encoding.ts';
import type { PcmShape } from '../../formats/formats.ts';
import { readRange } from '../input/source-file.ts';
import { m4aSampleCount } from '../trim/m4a-duration.ts';
import { audibleMp3Samples } from '../trim/mp3-info.ts';
import { frameBytes, parseWavHeader, wavPadBytes } from './wav-header.ts';

const HEAD_BYTES = 64 * 1024;
/** The largest Ogg page (RFC 3533 section 6). */
const OGG_PAGE_BYTES = 65_307;

/** undefined if the file is malformed. */
export async function countFileSamples(
  encoding: EncodingName,
  path: string,
  sizeBytes: number,
  pcm: PcmShape,
): Promise<number | undefined> {
  const head = await readRange(path, 0, Math.min(HEAD_BYTES, sizeBytes));
  const { container } = ENCODINGS[encoding];
  switch (container) {
    case 'mp3':
      return audibleMp3Samples((start, length) => readRange(path, start, length));
    case 'wav':
      return wavSamples(head, sizeBytes, pcm);
    case 'flac':
      return flacSamples(head);
    case 'ogg':
      return lastGranule(await tailOf(path, sizeBytes), 0);
    case 'opus':
      return lastGranule(await tailOf(path, sizeBytes), opusPreSkip(head));
    case 'm4a': {
      const moovStart = head.readUInt32BE(0);
      const moovBytes = (await readRange(path, moovStart, 4)).readUInt32BE(0);
      return m4aSampleCount(await readRange(path, moovStart + 8, moovBytes - 8));
    }
    default:
      return container satisfies never;
  }
}

function tailOf(path: string, sizeBytes: number): Promise<Buffer> {
  return readRange(path, Math.max(0, sizeBytes - OGG_PAGE_BYTES), OGG_PAGE_BYTES);
}

function wavSamples(head: Buffer, sizeBytes: number, pcm: PcmShape): number | undefined {
  const header = parseWavHeader(head);
  if (header === undefined) return undefined;
  // The bytes do not distinguish a one-byte sample from padding after an odd number of samples.
  const { headerBytes, claimedBytes } = header;
  const samples = claimedBytes / frameBytes(pcm);
  const isAllThere = headerBytes + claimedBytes + wavPadBytes(claimedBytes) === sizeBytes;
  return isAllThere && Number.isInteger(samples) ? samples : undefined;
}

/** The 36-bit sample count of STREAMINFO (RFC 9639 section 8.2). */
export function flacSamples(head: Buffer): number | undefined {
  if (head.length < 26 || head.toString('latin1', 0, 4) !== 'fLaC') return undefined;
  return ((head[21] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
}

function lastGranule(tail: Buffer, preSkip: number): number | undefined {
  const page = tail.lastIndexOf('OggS');
  return page < 0 ? undefined : Number(tail.readBigInt64LE(page + 6)) - preSkip;
}

/** RFC 7845 section 5.1. */
function opusPreSkip(head: Buffer): number {
  const packet = head.indexOf('OpusHead');
  return packet < 0 ? 0 : head.readUInt16LE(packet + 10);
}
