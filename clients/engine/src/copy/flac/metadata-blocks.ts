import { CopyNotPossibleError } from '../copy-contract.ts';

/** A metadata block with its header (RFC 9639 8.1). */
export type MetadataBlock = Buffer;

const STREAM_INFO = 0;
const COMMENTS = 4;
const STREAM_INFO_BLOCK_BYTES = 38;
const LAST_BLOCK_FLAG = 0x80;
const BLOCK_HEADER_BYTES = 4;
/** Real files have a handful. A block takes at least four bytes of a source, and a hundred of the heap. */
export const MAX_BLOCKS = 1_000;
const MARKER = Buffer.from('fLaC');

/** The beginning of a FLAC stream. Throws CopyNotPossibleError if its first block is not STREAMINFO. */
export function createFlacHead(blocks: readonly MetadataBlock[]): Buffer {
  const [first] = blocks;
  if (first?.length !== STREAM_INFO_BLOCK_BYTES || (first.readUInt8(0) & ~LAST_BLOCK_FLAG) !== STREAM_INFO)
    throw new CopyNotPossibleError('FLAC without STREAMINFO');
  const marked = blocks.map((block, index) => {
    const copy = Buffer.from(block);
    const type = copy.readUInt8(0) & ~LAST_BLOCK_FLAG;
    copy.writeUInt8(index === blocks.length - 1 ? type | LAST_BLOCK_FLAG : type);
    return copy;
  });
  return Buffer.concat([MARKER, ...marked]);
}

/** The blocks at a FLAC stream's beginning. Throws CopyNotPossibleError if they do not fill `head`. */
export function readFlacBlocks(head: Buffer): readonly MetadataBlock[] {
  if (!head.subarray(0, MARKER.length).equals(MARKER)) throw new CopyNotPossibleError('no FLAC head');
  const blocks: MetadataBlock[] = [];
  for (let at = MARKER.length; at < head.length; ) {
    const end = at + (blockBytes(head, at) ?? Number.POSITIVE_INFINITY);
    if (end > head.length) throw new CopyNotPossibleError('FLAC metadata cut short');
    if (blocks.length === MAX_BLOCKS) throw new CopyNotPossibleError('FLAC metadata without end');
    blocks.push(head.subarray(at, end));
    at = end;
  }
  return blocks;
}

/** The length of the block that begins at `at`, header included; undefined if the header is incomplete. */
export function blockBytes(bytes: Buffer, at: number): number | undefined {
  if (at + BLOCK_HEADER_BYTES > bytes.length) return undefined;
  return BLOCK_HEADER_BYTES + bytes.readUIntBE(at + 1, 3);
}

/** Whether metadata ends with this block. */
export function isLastBlock(block: MetadataBlock): boolean {
  return (block.readUInt8(0) & LAST_BLOCK_FLAG) !== 0;
}

export function createCommentBlock(comments: Buffer): MetadataBlock {
  const header = Buffer.of(COMMENTS, 0, 0, 0);
  header.writeUIntBE(comments.length, 1, 3);
  return Buffer.concat([header, comments]);
}

export function isCommentBlock(block: MetadataBlock): boolean {
  return (block.readUInt8(0) & ~LAST_BLOCK_FLAG) === COMMENTS;
}
