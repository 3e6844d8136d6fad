import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import { numberComments } from '../vorbis-comment.ts';
import type { OggCodec } from './stream-walker.ts';

/** What the three header packets of a Vorbis I stream (specification 4.2) tell about its packets' lengths. */
export interface VorbisHeaders {
  readonly sampleRateHz: number;
  /** Identification, comment and setup, as segment `number` (from 1 on) repeats them. */
  packetsFor(number: number): readonly [Buffer, Buffer, Buffer];
  /** The window's length of an audio packet. */
  blockSamples(packet: Buffer): number;
}

const IDENTIFICATION = 1;
const COMMENT = 3;
const SETUP = 5;
const IDENTIFICATION_BYTES = 30;
/** Behind the packet's type and `vorbis`. */
const COMMENTS_AT = 7;
/** It is repeated in every segment; libvorbis writes 3 to 8 kB. */
const MAX_SETUP_BYTES = 256 * 1024;
const MODE_BITS = 41;
const MODE_COUNT_BITS = 6;
const MAX_MODES = 64;
const MAX_MAPPING = 63;

/** A comment header larger than `maxTagBytes` is replaced by an empty one. */
export function createVorbisCodec(maxTagBytes: number): OggCodec<VorbisHeaders> {
  return {
    name: 'Vorbis',
    headerPacketCount: 3,
    isIdentification,
    readHeaders: (packets) => readVorbisHeaders(packets, maxTagBytes),
    createMeter,
  };
}

/** A packet completes a quarter of its window and of the one before; the first only fills the decoder. */
function createMeter(headers: VorbisHeaders): (packet: Buffer) => number {
  let previousBlock: number | undefined;
  return (packet) => {
    const block = headers.blockSamples(packet);
    const sampleCount = previousBlock === undefined ? 0 : (previousBlock + block) / 4;
    previousBlock = block;
    return sampleCount;
  };
}

function isIdentification(packet: Buffer): boolean {
  return isHeader(packet, IDENTIFICATION) && packet.length >= IDENTIFICATION_BYTES;
}

function readVorbisHeaders(packets: readonly Buffer[], maxTagBytes: number): VorbisHeaders {
  const [identification, comment, setup] = packets;
  if (
    identification === undefined ||
    comment === undefined ||
    setup === undefined ||
    !isIdentification(identification) ||
    !isHeader(comment, COMMENT) ||
    !isHeader(setup, SETUP)
  ) {
    throw unsupportedMedia('The Vorbis headers are not complete.');
  }
  if (setup.length > MAX_SETUP_BYTES) throw new CopyNotPossibleError('the Vorbis setup header is too large');
  const sampleRateHz = identification.readUInt32LE(12);
  const sizes = identification.readUInt8(28);
  const shortBlock = 1 << (sizes & 0xf);
  const longBlock = 1 << (sizes >> 4);
  if (sampleRateHz === 0 || shortBlock < 64 || longBlock < shortBlock || longBlock > 8192) {
    throw unsupportedMedia('The Vorbis identification header makes no sense.');
  }
  const hasLongBlock = readModes(setup);
  const modeMask = 2 ** Math.ceil(Math.log2(hasLongBlock.length)) - 1;
  const first = Buffer.from(identification);
  const comments = comment.length <= maxTagBytes ? Buffer.from(comment) : createEmptyComment();
  const last = Buffer.from(setup);
  return {
    sampleRateHz,
    packetsFor: (number) => [first, numberComments(comments, COMMENTS_AT, number), last],
    blockSamples(packet) {
      const first = packet[0];
      if (first === undefined || (first & 1) !== 0)
        throw new CopyNotPossibleError('not a Vorbis audio packet');
      const isLong = hasLongBlock[(first >> 1) & modeMask];
      if (isLong === undefined) throw new CopyNotPossibleError('a Vorbis packet of an unknown mode');
      return isLong ? longBlock : shortBlock;
    },
  };
}

/**
 * Which block size each mode uses. The modes lie at the very end of the setup header, behind codebooks, floors
 * and residues of lengths that only a decoder knows; so they are read backwards from the framing bit: 41 bits
 * each (block flag, window type 0, transform type 0, mapping), in front of them their number less one in six.
 * Where several numbers fit, the largest is right: fewer modes always fit by chance, more hardly ever.
 */
function readModes(setup: Buffer): readonly boolean[] {
  const framingBit = findLastSetBit(setup);
  const flags: boolean[] = [];
  let modes: readonly boolean[] = [];
  for (let count = 1; count <= MAX_MODES; count++) {
    const start = framingBit - MODE_BITS * count;
    if (start < MODE_COUNT_BITS) break;
    const isMode =
      readBits(setup, start + 1, 16) === 0 &&
      readBits(setup, start + 17, 16) === 0 &&
      readBits(setup, start + 33, 8) <= MAX_MAPPING;
    if (!isMode) break;
    flags.unshift(readBits(setup, start, 1) === 1);
    if (readBits(setup, start - MODE_COUNT_BITS, MODE_COUNT_BITS) + 1 === count) modes = [...flags];
  }
  if (modes.length === 0) throw new CopyNotPossibleError('the Vorbis modes cannot be found');
  return modes;
}

function findLastSetBit(bytes: Buffer): number {
  let bit = bytes.length * 8 - 1;
  while (bit > 0 && readBits(bytes, bit, 1) === 0) bit -= 1;
  return bit;
}

/** Vorbis packs bits from the least significant up. */
function readBits(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) {
    const bit = at + index;
    value |= (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) << index;
  }
  return value;
}

function isHeader(packet: Buffer, type: number): boolean {
  return packet[0] === type && packet.toString('latin1', 1, 7) === 'vorbis';
}

/** No vendor, no comments, framing bit. */
function createEmptyComment(): Buffer {
  return Buffer.concat([Buffer.of(COMMENT), Buffer.from('vorbis'), Buffer.alloc(8), Buffer.of(1)]);
}
