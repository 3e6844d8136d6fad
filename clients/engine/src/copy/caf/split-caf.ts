import { type FileHandle, open } from 'node:fs/promises';
import { createLocalFileReader } from '../../source/local-file.ts';
import { CopyNotPossibleError, type CopyOptions } from '../copy-contract.ts';
import { createIdentification, createOpusCodec, OPUS_RATE_HZ } from '../ogg/opus-headers.ts';
import { type RemuxedPacket, remuxToOgg } from '../ogg/remux-to-ogg.ts';
import { splitOpus } from '../ogg/split-opus.ts';
import { type ByteReader, openByteReader } from '../source/byte-reader.ts';
import { keepRest } from '../source/kept-source.ts';
import { createRemuxingSplitter } from '../split-remuxed.ts';
import { commentsFrom } from '../tags/kept-tags.ts';
import {
  type CafDescription,
  CHUNK_HEADER_BYTES,
  DESCRIPTION_BYTES,
  FILE_HEADER_BYTES,
  readChunkHeader,
  readDescription,
  readInfo,
} from './chunks.ts';
import { type PacketTable, readPacketTable } from './packet-table.ts';

/** Some 20 hours of Opus. */
const MAX_TABLE_BYTES = 8 * 1024 * 1024;
const MAX_INFO_BYTES = 1024 * 1024;
/** Apple's recorder leaves a handful. */
const MAX_CHUNKS = 200;
const EDIT_COUNT_BYTES = 4;
/** More than six frames of the maximum size (RFC 6716 3.2). */
const MAX_PACKET_BYTES = 64 * 1024;
const MAX_PRE_SKIP = 0xffff;
/** Opus is decoded at 48 kHz at most. */
const MAX_RATE_HZ = 48_000;

export const splitCafOpus = createRemuxingSplitter(splitOpus, remuxOpus);

/**
 * Apple's files have no identification header: the priming is used as pre-skip, and the remainder is trimmed
 * at the end.
 */
async function* remuxOpus(reader: ByteReader, options: CopyOptions): AsyncGenerator<Buffer> {
  const chunks = await readChunks(reader);
  const { description } = chunks;
  if (description?.codec !== 'opus' || description.bytesPerPacket !== 0) throw broken('no packets of Opus');
  if (chunks.table !== undefined) {
    yield* remuxPackets(reader, description, chunks.table, chunks.info ?? []);
    await reader.drain();
    return;
  }
  await using rest = await keepRest(reader, options);
  const { path, sizeBytes } = rest.file;
  await using file = await open(path);
  const behind = await readBehind(file, rest.start + chunks.dataBytes, sizeBytes);
  const { chunks: bytes, memory } = createLocalFileReader(rest.file, rest.start);
  const { signal } = options;
  await using media = openByteReader(bytes(), { signal, onBytes: () => undefined, memory });
  yield* remuxPackets(media, description, behind.table, chunks.info ?? behind.info);
}

interface Chunks {
  readonly description: CafDescription | undefined;
  /** Of the first chunk of that kind; others are skipped, because a file has one. */
  readonly info: ReturnType<typeof readInfo> | undefined;
  readonly table: PacketTable | undefined;
  /** Of the audio data, before which the reader is positioned. */
  readonly dataBytes: number;
}

async function readChunks(reader: ByteReader): Promise<Chunks> {
  let description: CafDescription | undefined;
  let info: Chunks['info'];
  let table: PacketTable | undefined;
  if (!(await reader.skip(FILE_HEADER_BYTES))) throw broken('no chunks');
  for (let count = 0; count < MAX_CHUNKS; count++) {
    await reader.fill(CHUNK_HEADER_BYTES);
    const header = readChunkHeader(reader.window, 0);
    if (header === undefined) break;
    const { type, bodyBytes } = header;
    // A recording that was never finished has no table either.
    if (bodyBytes < 0) throw broken('a chunk without end');
    reader.consume(CHUNK_HEADER_BYTES);
    if (type === 'data') {
      if (bodyBytes < EDIT_COUNT_BYTES || !(await reader.skip(EDIT_COUNT_BYTES))) break;
      return { description, info, table, dataBytes: bodyBytes - EDIT_COUNT_BYTES };
    }
    const maxBytes = maxBodyBytes(type);
    if (maxBytes === undefined || (type === 'info' && (bodyBytes > maxBytes || info !== undefined))) {
      if (!(await reader.skip(bodyBytes))) break;
      continue;
    }
    if (bodyBytes > maxBytes || !(await reader.fill(bodyBytes)))
      throw broken(`the chunk ${type} is cut short`);
    const body = Buffer.from(reader.window.subarray(0, bodyBytes));
    reader.consume(bodyBytes);
    if (type === 'info') info = readInfo(body);
    else if (type === 'pakt') table = readPacketTable(body);
    else if (bodyBytes >= DESCRIPTION_BYTES) description = readDescription(body);
  }
  throw broken('no sound');
}

/** Of the chunks that are read. */
function maxBodyBytes(type: string): number | undefined {
  if (type === 'pakt') return MAX_TABLE_BYTES;
  if (type === 'info') return MAX_INFO_BYTES;
  return type === 'desc' ? DESCRIPTION_BYTES : undefined;
}

/** The chunks after the audio data. */
async function readBehind(
  file: FileHandle,
  start: number,
  sizeBytes: number,
): Promise<{ readonly table: PacketTable; readonly info: ReturnType<typeof readInfo> }> {
  let table: PacketTable | undefined;
  let info: Chunks['info'];
  let at = start;
  for (let count = 0; count < MAX_CHUNKS && at < sizeBytes; count++) {
    const header = readChunkHeader(await readAt(file, at, CHUNK_HEADER_BYTES), 0);
    if (header === undefined || header.bodyBytes < 0) break;
    const { type, bodyBytes } = header;
    at += CHUNK_HEADER_BYTES;
    if (at + bodyBytes > sizeBytes) break;
    if (type === 'pakt' && bodyBytes <= MAX_TABLE_BYTES)
      table ??= readPacketTable(await readAt(file, at, bodyBytes));
    if (type === 'info' && bodyBytes <= MAX_INFO_BYTES) info ??= readInfo(await readAt(file, at, bodyBytes));
    at += bodyBytes;
  }
  if (table === undefined) throw broken('no packet table');
  return { table, info: info ?? [] };
}

/** Shorter if the file ends. */
async function readAt(file: FileHandle, position: number, byteCount: number): Promise<Buffer> {
  const bytes = Buffer.alloc(byteCount);
  const { bytesRead } = await file.read(bytes, 0, byteCount, position);
  return bytes.subarray(0, bytesRead);
}

async function* remuxPackets(
  media: ByteReader,
  { sampleRateHz, channelCount, framesPerPacket }: CafDescription,
  table: PacketTable,
  info: ReturnType<typeof readInfo>,
): AsyncGenerator<Buffer> {
  if (!Number.isInteger(sampleRateHz) || sampleRateHz <= 0 || sampleRateHz > MAX_RATE_HZ)
    throw broken(`a rate of ${sampleRateHz} Hz`);
  const { packetCount, validFrames, primingFrames, remainderFrames } = table;
  if (framesPerPacket * packetCount !== primingFrames + validFrames + remainderFrames)
    throw broken('the packet table contradicts itself');
  const preSkip = (primingFrames * OPUS_RATE_HZ) / sampleRateHz;
  if (!Number.isInteger(preSkip) || preSkip < 0 || preSkip > MAX_PRE_SKIP)
    throw broken('priming that makes no sense');
  if (remainderFrames < 0) throw broken('a remainder that makes no sense');
  if (channelCount !== 1 && channelCount !== 2) throw broken(`${channelCount} channels`);
  yield* remuxToOgg({
    codec: createOpusCodec(Number.POSITIVE_INFINITY),
    headerPackets: [
      createIdentification({ channelCount, preSkip, inputRateHz: sampleRateHz }),
      Buffer.concat([Buffer.from('OpusTags'), commentsFrom(info)]),
    ],
    sampleRateHz: () => OPUS_RATE_HZ,
    packets: readPackets(media, table, remainderFrames / sampleRateHz),
  });
}

async function* readPackets(
  media: ByteReader,
  { packetCount, sizes }: PacketTable,
  remainderSeconds: number,
): AsyncGenerator<readonly RemuxedPacket[]> {
  let packets: RemuxedPacket[] = [];
  let left = packetCount;
  for (const size of sizes()) {
    if (size > MAX_PACKET_BYTES) throw broken('a packet is too large');
    if (media.window.length < size) {
      if (packets.length > 0) yield packets;
      packets = [];
      media.releaseBefore(media.position);
      if (!(await media.fill(size))) throw broken('the sound is cut short');
    }
    left -= 1;
    packets.push({
      bytes: media.window.subarray(0, size),
      discardedSeconds: left === 0 ? remainderSeconds : 0,
    });
    media.consume(size);
  }
  yield packets;
}

function broken(reason: string): CopyNotPossibleError {
  return new CopyNotPossibleError(`CAF: ${reason}`);
}
