/** The metadata of a FLAC or Ogg stream that may contain chapters. */
import { CopyNotPossibleError } from '../copy/copy-contract.ts';
import { packetsOf, readPackets } from '../copy/ogg/packet-reader.ts';
import { readPages } from '../copy/ogg/page-reader.ts';
import { openByteReader } from '../copy/source/byte-reader.ts';
import { MediaError } from '../media-error.ts';
import type { FileBytes } from './file-bytes.ts';
import { MAX_TABLE_BYTES } from './source-chapters.ts';

export interface StreamMetadata {
  /** Lists of Vorbis comments. */
  readonly comments: readonly Buffer[];
  /** The bodies of CUESHEET blocks. */
  readonly cuesheets: readonly Buffer[];
  /** In FLAC. */
  readonly sampleRateHz: number | undefined;
}

const STREAM_INFO = 0;
const COMMENTS = 4;
const CUESHEET = 5;
const BLOCK_HEADER_BYTES = 4;
const LAST_BLOCK_FLAG = 0x80;
const MARKER_BYTES = 4;
/** Real files have a handful. */
const MAX_BLOCKS = 128;

interface BlockHeader {
  readonly type: number;
  readonly bodyBytes: number;
  readonly isLast: boolean;
}

interface BlockCollector {
  add(type: number, body: Buffer): void;
  readonly metadata: StreamMetadata;
}

/** Of a FLAC stream that begins at `start`. */
export async function readFlacMetadata(bytes: FileBytes, start: number): Promise<StreamMetadata> {
  const collector = createBlockCollector();
  let at = start + MARKER_BYTES;
  for (let count = 0; count < MAX_BLOCKS; count++) {
    const header = readBlockHeader(await bytes.head(at, BLOCK_HEADER_BYTES));
    if (header === undefined) break;
    const { type, bodyBytes, isLast } = header;
    const bodyAt = at + BLOCK_HEADER_BYTES;
    if (isWanted(type)) collector.add(type, await bytes.head(bodyAt, bodyBytes));
    if (isLast) break;
    at = bodyAt + bodyBytes;
  }
  return collector.metadata;
}

const OPUS_HEAD = 'OpusHead';
const VORBIS_HEAD = '\u0001vorbis';
const FLAC_HEAD = '\u007fFLAC';
const SPEEX_HEAD = 'Speex   ';
/** Precedes the comments, in the packet after the identification header. */
const COMMENT_PREFIX_BYTES: Readonly<Record<string, number>> = {
  [OPUS_HEAD]: 8,
  [VORBIS_HEAD]: 7,
  [SPEEX_HEAD]: 0,
};
/** The first packet of FLAC (RFC 9639 10.1): 9 bytes, the marker, and STREAMINFO. */
const FLAC_HEAD_BYTES = 9 + MARKER_BYTES;

/** The metadata of the first audio stream in an Ogg file; damage ends the search. */
export async function readOggMetadata(bytes: FileBytes, start: number): Promise<StreamMetadata> {
  const collector = createBlockCollector();
  let head: string | undefined;
  for await (const packet of leadingPackets(bytes, start)) {
    if (head === undefined) {
      head = headOf(packet);
      if (head === FLAC_HEAD) collectBlock(packet.subarray(FLAC_HEAD_BYTES), collector);
      continue;
    }
    if (head === FLAC_HEAD) {
      if (!collectBlock(packet, collector)) break;
      continue;
    }
    collector.add(COMMENTS, packet.subarray(COMMENT_PREFIX_BYTES[head ?? ''] ?? 0));
    break;
  }
  return collector.metadata;
}

async function* leadingPackets(bytes: FileBytes, start: number): AsyncGenerator<Buffer> {
  const { signal } = new AbortController();
  const chunks = bytes.chunks(start, 2 * MAX_TABLE_BYTES);
  await using reader = openByteReader(chunks, { signal, onBytes: () => undefined });
  const pages = readPackets(readPages(reader), (first) => headOf(first) !== undefined);
  let packetCount = 0;
  try {
    for await (const batch of pages) {
      for (const page of batch) {
        for (const packet of packetsOf(page)) {
          yield packet;
          packetCount += 1;
          if (packetCount > MAX_BLOCKS) return;
        }
      }
    }
  } catch (error) {
    if (!(error instanceof CopyNotPossibleError || error instanceof MediaError)) throw error;
  }
}

function headOf(packet: Buffer): string | undefined {
  const start = packet.toString('latin1', 0, 8);
  return [OPUS_HEAD, VORBIS_HEAD, FLAC_HEAD, SPEEX_HEAD].find((head) => start.startsWith(head));
}

/** False if the metadata ends with this block. */
function collectBlock(block: Buffer, collector: BlockCollector): boolean {
  const header = readBlockHeader(block);
  if (header === undefined) return false;
  if (isWanted(header.type)) collector.add(header.type, block.subarray(BLOCK_HEADER_BYTES));
  return !header.isLast;
}

function readBlockHeader(block: Buffer): BlockHeader | undefined {
  if (block.length < BLOCK_HEADER_BYTES) return undefined;
  const first = block.readUInt8(0);
  return {
    type: first & ~LAST_BLOCK_FLAG,
    bodyBytes: block.readUIntBE(1, 3),
    isLast: (first & LAST_BLOCK_FLAG) !== 0,
  };
}

function isWanted(type: number): boolean {
  return type === STREAM_INFO || type === COMMENTS || type === CUESHEET;
}

function createBlockCollector(): BlockCollector {
  const comments: Buffer[] = [];
  const cuesheets: Buffer[] = [];
  let sampleRateHz: number | undefined;
  let heldBytes = 0;
  return {
    add(type, body) {
      heldBytes += body.length;
      if (heldBytes > 2 * MAX_TABLE_BYTES) return;
      if (type === COMMENTS) comments.push(body);
      else if (type === CUESHEET) cuesheets.push(body);
      else if (body.length >= 13) sampleRateHz ??= body.readUIntBE(10, 3) >>> 4;
    },
    get metadata() {
      return { comments, cuesheets, sampleRateHz };
    },
  };
}
