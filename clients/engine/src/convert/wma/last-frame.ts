/**
 * WMA 1 or 2 for a decoder that cannot be flushed: a silent frame follows the last one.
 *
 * Frames overlap: a decoder gives one when it has the next, so it holds the last one back. Newer ffmpeg builds flush it
 * at the end, with nothing added; the build of 2018 never gives it. A silent frame adds nothing either, so the samples
 * are the same.
 *
 * Where frames continue in the next block, the last block may end with the beginning of a frame that is missing, and
 * the silent one would be taken for the rest of it. The decoder stores blocks in which no frame begins as such
 * beginnings, until they exceed its buffer and it drops them all.
 */
import { leadingAudioTrack } from '../../copy/matroska/audio-track.ts';
import { MAX_ELEMENT_HEADER_BYTES } from '../../copy/matroska/ebml.ts';
import { CLUSTER, SIMPLE_BLOCK } from '../../copy/matroska/elements.ts';

/** Several times what ffmpeg writes before the sound. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Of WAVEFORMATEX, as far as the size of the codec's own data. */
const FORMAT_BYTES = 18;
const BLOCK_BYTES_AT = 12;
/** Where the decoder's flags lie in the codec's own data, by the codec's tag. */
const FLAGS_AT: ReadonlyMap<number, number> = new Map([
  [0x160, FORMAT_BYTES + 2],
  [0x161, FORMAT_BYTES + 4],
]);
const RESERVOIR_FLAG = 2;
/** The decoder's buffer, and what ffmpeg counts for each byte that is stored (it takes bits for bytes there). */
const BUFFER_BYTES = 32_768;
const COUNT_PER_STORED_BYTE = 8;
/** The first byte of a block whose frames may continue: how many begin in it, in the lower four bits. */
const NO_FRAME = 0;
/** With nothing stored, the decoder takes one of the two for a frame that continues and leaves it out. */
const ONE_WHOLE_FRAME = 2;
/** Of the only track, at time 0, without lacing. */
const BLOCK_HEAD = Buffer.of(0x81, 0, 0, 0x80);
/** In front of a size of 28 bits. */
const FOUR_BYTE_SIZE = 0x1000_0000;

/** `matroska` as ffmpeg writes it. The same bytes where they are not understood. */
export async function* withSilentFrame(
  matroska: AsyncIterable<Uint8Array>,
  onFormat: (format: Buffer) => void,
): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let format: Buffer | undefined;
  for await (const chunk of matroska) {
    if (format === undefined && head.length < MAX_HEAD_BYTES) {
      head = Buffer.concat([head, chunk]);
      format = leadingAudioTrack(head)?.codecPrivate;
      if (format !== undefined) onFormat(format);
    }
    yield chunk;
  }
  if (format !== undefined) yield silentCluster(format);
}

/** Empty where the format is not that of WMA 1 or 2. */
function silentCluster(format: Buffer): Buffer {
  const flagsAt = format.length < FORMAT_BYTES ? undefined : FLAGS_AT.get(format.readUInt16LE(0));
  if (flagsAt === undefined) return Buffer.alloc(0);
  const blockBytes = format.readUInt16LE(BLOCK_BYTES_AT);
  if (blockBytes < 2) return Buffer.alloc(0);
  // Without flags where the codec's own data is too short for them, as the decoder has it.
  const flags = format.length < flagsAt + 2 ? 0 : format.readUInt16LE(flagsAt);
  const hasReservoir = (flags & RESERVOIR_FLAG) !== 0;
  const countPerBlock = COUNT_PER_STORED_BYTE * (blockBytes - 1);
  const droppingCount = hasReservoir ? Math.ceil(BUFFER_BYTES / countPerBlock) + 1 : 0;
  const firstBytes = [...Array<number>(droppingCount).fill(NO_FRAME), hasReservoir ? ONE_WHOLE_FRAME : 0];
  return element(CLUSTER, Buffer.concat(firstBytes.map((firstByte) => silentBlock(blockBytes, firstByte))));
}

/** Silent behind its first byte. Its time is 0: the decoder goes by the order. */
function silentBlock(blockBytes: number, firstByte: number): Buffer {
  const silence = Buffer.alloc(blockBytes);
  silence.writeUInt8(firstByte);
  return element(SIMPLE_BLOCK, Buffer.concat([BLOCK_HEAD, silence]));
}

function element(id: number, body: Buffer): Buffer {
  const header = Buffer.alloc(MAX_ELEMENT_HEADER_BYTES);
  const idBytes = id > 0xff ? 4 : 1;
  header.writeUIntBE(id, 0, idBytes);
  header.writeUInt32BE(FOUR_BYTE_SIZE + body.length, idBytes);
  return Buffer.concat([header.subarray(0, idBytes + 4), body]);
}
