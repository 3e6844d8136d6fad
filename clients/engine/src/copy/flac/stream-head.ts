import { unsupportedMedia } from '../../media-error.ts';
import type { SegmentTags } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { readLeadingTag } from '../tags/id3v2.ts';
import { createComments, numberComments, retagComments } from '../tags/vorbis-comment.ts';
import { createCommentBlock, isCommentBlock, MAX_BLOCKS } from './metadata-blocks.ts';

/** A FLAC stream up to its first frame (RFC 9639 8). */
export interface FlacHead {
  /** The STREAMINFO block's body. */
  readonly streamInfo: Buffer;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly bitsPerSample: number;
  readonly maxBlockSamples: number;
  /** The length that the stream states; 0 if it states none. */
  readonly statedSamples: number;
  /**
   * Comment and picture blocks with their headers, none marked as the last, as far as their size is allowed.
   */
  readonly tags: readonly Buffer[];
}

/** The content of STREAMINFO for one stream besides its format. */
interface StreamFacts {
  /** The last block may be smaller. */
  readonly minBlockSamples: number;
  readonly maxBlockSamples: number;
  readonly minFrameBytes: number;
  readonly maxFrameBytes: number;
  readonly sampleCount: number;
  /** Of the decoded audio; undefined: not known. */
  readonly audioMd5: Buffer | undefined;
}

const STREAM_INFO = 0;
const STREAM_INFO_BYTES = 34;
const COMMENTS = 4;
const PICTURE = 6;
const MD5_AT = 18;
const MAX_BLOCK_BODY_BYTES = 0xffffff;
const LAST_BLOCK_FLAG = 0x80;
const BLOCK_HEADER_BYTES = 4;
/** The size of STREAMINFO's body; it is always the first block. */
export const STREAM_INFO_AT = 4 + BLOCK_HEADER_BYTES;
/** Applies to all blocks of a stream except the last (RFC 9639 8.2). */
export const MIN_BLOCK_SAMPLES = 16;

/** Leaves the reader at the first frame. */
export async function readFlacHead(reader: ByteReader, maxTagBytes: number): Promise<FlacHead> {
  await readLeadingTag(reader, 0);
  if (!(await reader.fill(4)) || reader.window.toString('latin1', 0, 4) !== 'fLaC') {
    throw unsupportedMedia('The source is no FLAC stream.');
  }
  reader.consume(4);
  let streamInfo: Buffer | undefined;
  const tags: Buffer[] = [];
  let tagBytes = 0;
  for (let isLast = false; !isLast; ) {
    if (!(await reader.fill(BLOCK_HEADER_BYTES))) throw unsupportedMedia('The FLAC metadata is cut short.');
    const start = reader.window.readUInt8(0);
    const blockBytes = BLOCK_HEADER_BYTES + reader.window.readUIntBE(1, 3);
    const type = start & ~LAST_BLOCK_FLAG;
    isLast = (start & LAST_BLOCK_FLAG) !== 0;
    if (
      type === STREAM_INFO &&
      blockBytes === BLOCK_HEADER_BYTES + STREAM_INFO_BYTES &&
      streamInfo === undefined
    ) {
      await reader.fill(blockBytes);
      streamInfo = Buffer.from(reader.window.subarray(BLOCK_HEADER_BYTES, blockBytes));
    } else if (
      (type === COMMENTS || type === PICTURE) &&
      tagBytes + blockBytes <= maxTagBytes &&
      tags.length < MAX_BLOCKS
    ) {
      if (await reader.fill(blockBytes)) tags.push(keptBlock(reader.window.subarray(0, blockBytes)));
      tagBytes += blockBytes;
    }
    await reader.skip(blockBytes);
  }
  if (streamInfo === undefined || streamInfo.length < STREAM_INFO_BYTES) {
    throw unsupportedMedia('The FLAC stream has no STREAMINFO block.');
  }
  return { streamInfo, tags, ...describe(streamInfo) };
}

function keptBlock(block: Buffer): Buffer {
  const kept = Buffer.from(block);
  kept.writeUInt8(kept.readUInt8(0) & ~LAST_BLOCK_FLAG, 0);
  return kept;
}

function describe(streamInfo: Buffer): Omit<FlacHead, 'streamInfo' | 'tags'> {
  const packed = streamInfo.readUInt32BE(10);
  const sampleRateHz = packed >>> 12;
  const maxBlockSamples = streamInfo.readUInt16BE(2);
  if (sampleRateHz === 0 || maxBlockSamples < MIN_BLOCK_SAMPLES) {
    throw unsupportedMedia('The FLAC STREAMINFO block makes no sense.');
  }
  const channelCount = ((packed >>> 9) & 7) + 1;
  const bitsPerSample = ((packed & 0x1f0) >>> 4) + 1;
  const statedSamples = (streamInfo.readUInt8(13) & 0xf) * 2 ** 32 + streamInfo.readUInt32BE(14);
  return { sampleRateHz, channelCount, bitsPerSample, maxBlockSamples, statedSamples };
}

/**
 * A segment's head up to its first frame. STREAMINFO is still the source's and is corrected when the segment
 * ends. The seek table is omitted.
 */
export function createSegmentHead(
  { streamInfo, tags }: FlacHead,
  segmentNumber: number,
  own: SegmentTags | undefined,
): Buffer {
  const blocks = [
    Buffer.concat([Buffer.of(STREAM_INFO, 0, 0, STREAM_INFO_BYTES), streamInfo]),
    ...(own === undefined
      ? tags.map((block) => numberedBlock(block, segmentNumber))
      : retaggedBlocks(tags, own)),
  ];
  const last = Buffer.from(blocks.at(-1) ?? []);
  last.writeUInt8(last.readUInt8(0) | LAST_BLOCK_FLAG, 0);
  return Buffer.concat([Buffer.from('fLaC'), ...blocks.slice(0, -1), last]);
}

/** The body of STREAMINFO for a stream in the source's format. */
export function createStreamInfo({ streamInfo: source }: FlacHead, facts: StreamFacts): Buffer {
  const streamInfo = Buffer.from(source);
  streamInfo.writeUInt16BE(facts.minBlockSamples, 0);
  streamInfo.writeUInt16BE(facts.maxBlockSamples, 2);
  streamInfo.writeUIntBE(facts.minFrameBytes, 4, 3);
  streamInfo.writeUIntBE(facts.maxFrameBytes, 7, 3);
  const high = Math.floor(facts.sampleCount / 2 ** 32) & 0xf;
  streamInfo.writeUInt8((streamInfo.readUInt8(13) & 0xf0) | high, 13);
  streamInfo.writeUInt32BE(facts.sampleCount % 2 ** 32, 14);
  streamInfo.fill(0, MD5_AT);
  facts.audioMd5?.copy(streamInfo, MD5_AT);
  return streamInfo;
}

function numberedBlock(block: Buffer, segmentNumber: number): Buffer {
  if (!isCommentBlock(block)) return block;
  return sizedBlock(numberComments(block, BLOCK_HEADER_BYTES, segmentNumber)) ?? block;
}

/** A stream has at most one comment block (RFC 9639 8.6), so the first readable one is used. */
function retaggedBlocks(tags: readonly Buffer[], own: SegmentTags): readonly Buffer[] {
  const [comments] = tags.filter(isCommentBlock).flatMap((block) => retaggedBlock(block, own) ?? []);
  const others = tags.filter((block) => !isCommentBlock(block));
  const block = comments ?? retaggedBlock(createCommentBlock(createComments([])), own);
  return block === undefined ? others : [block, ...others];
}

function retaggedBlock(block: Buffer, own: SegmentTags): Buffer | undefined {
  const retagged = retagComments(block, BLOCK_HEADER_BYTES, own);
  return retagged && sizedBlock(retagged);
}

/** undefined if its size exceeds 24 bits. */
function sizedBlock(block: Buffer): Buffer | undefined {
  const bodyBytes = block.length - BLOCK_HEADER_BYTES;
  if (bodyBytes > MAX_BLOCK_BODY_BYTES) return undefined;
  const sized = Buffer.from(block);
  sized.writeUIntBE(bodyBytes, 1, 3);
  return sized;
}
