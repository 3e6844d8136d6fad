import { CopyNotPossibleError, type CopySplitter } from '../copy-contract.ts';
import {
  blockBytes,
  createFlacHead,
  isLastBlock,
  MAX_BLOCKS,
  type MetadataBlock,
} from '../flac/metadata-blocks.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { createRemuxingSplitter } from '../split-remuxed.ts';
import { packetsOf, readPackets } from './packet-reader.ts';
import { readPages } from './page-reader.ts';

/** Signature, version and number of header packets, before the beginning of a FLAC file (RFC 9639 10.1). */
const MAPPING_BYTES = 9;
const MARKER_BYTES = 4;
const MAJOR_VERSION_AT = 5;
const FRAME_SYNC = 0xff;
const MAX_HEADER_BYTES = 32 * 1024 * 1024;

export function createOggFlacSplitter(splitFlac: CopySplitter): CopySplitter {
  return createRemuxingSplitter(splitFlac, remuxFlac);
}

/** Every header packet is a metadata block, every other one a frame. */
async function* remuxFlac(reader: ByteReader): AsyncGenerator<Buffer> {
  let blocks: MetadataBlock[] | undefined = [];
  let headerBytes = 0;
  for await (const pages of readPackets(readPages(reader), isOggFlac)) {
    const parts: Buffer[] = [];
    for (const packet of pages.flatMap(packetsOf)) {
      if (blocks !== undefined && packet[0] !== FRAME_SYNC) {
        const block = blocks.length === 0 ? streamInfoBlock(packet) : Buffer.from(packet);
        if (blockBytes(block, 0) !== block.length)
          throw new CopyNotPossibleError('a FLAC header packet of another length');
        blocks.push(block);
        headerBytes += block.length;
        if (headerBytes > MAX_HEADER_BYTES || blocks.length > MAX_BLOCKS)
          throw new CopyNotPossibleError('FLAC metadata without end');
        if (!isLastBlock(block)) continue;
      }
      if (blocks !== undefined) {
        parts.push(createFlacHead(blocks));
        const isFrame = packet[0] === FRAME_SYNC;
        blocks = undefined;
        if (!isFrame) continue;
      }
      parts.push(packet);
    }
    if (parts.length > 0) yield Buffer.concat(parts);
    reader.releaseBefore(reader.position);
  }
}

function isOggFlac(packet: Buffer): boolean {
  return packet.toString('latin1', 0, 5) === '\u007fFLAC';
}

function streamInfoBlock(packet: Buffer): Buffer {
  if (packet[MAJOR_VERSION_AT] !== 1) throw new CopyNotPossibleError('FLAC in Ogg of another version');
  return Buffer.from(packet.subarray(MAPPING_BYTES + MARKER_BYTES));
}
