/**
 * Prepares WMA 1 or 2 for a decoder that cannot be flushed: appends a silent frame after the last one.
 *
 * Frames overlap: a decoder returns a frame when it has the next one, so it holds the last one back. Newer
 * ffmpeg builds flush it at the end and add nothing; the build of 2018 never returns it. A silent frame adds
 * nothing either, so the samples are the same.
 *
 * If frames may continue in the next block, the last block may end with the beginning of a frame that is
 * missing, and the decoder would take the silent frame for the rest of it. The decoder stores blocks in which
 * no frame begins as such beginnings, until they exceed its buffer and it drops them all.
 */
import { leadingAudioTrack } from '../../copy/matroska/audio-track.ts';
import { MAX_ELEMENT_HEADER_BYTES } from '../../copy/matroska/ebml.ts';
import { CLUSTER, SIMPLE_BLOCK } from '../../copy/matroska/elements.ts';

/** Several times what ffmpeg writes before the audio. */
const MAX_HEAD_BYTES = 64 * 1024;
/** The part of WAVEFORMATEX up to the size of the codec's own data. */
const FORMAT_BYTES = 18;
const BLOCK_BYTES_AT = 12;
/** The position of the decoder's flags in the codec's own data, by the codec's tag. */
const FLAGS_AT: ReadonlyMap<number, number> = new Map([
  [0x160, FORMAT_BYTES + 2],
  [0x161, FORMAT_BYTES + 4],
]);
const RESERVOIR_FLAG = 2;
/** The decoder's buffer, and what ffmpeg counts for each stored byte (it mistakes bits for bytes there). */
const BUFFER_BYTES = 32_768;
const COUNT_PER_STORED_BYTE = 8;
/**
 * The first byte of a block whose frames may continue; the lower four bits count the frames that begin in it.
 */
const NO_FRAME = 0;
/** If nothing is stored, the decoder takes one of the two for a continued frame and skips it. */
const ONE_WHOLE_FRAME = 2;
/** Of the only track, at time 0, without lacing. */
const BLOCK_HEAD = Buffer.of(0x81, 0, 0, 0x80);
/** The marker of a 28-bit size. */
const FOUR_BYTE_SIZE = 0x1000_0000;

/** `matroska` as ffmpeg writes it. Returns the same bytes if they are not understood. */
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

/** Empty if the format is not that of WMA 1 or 2. */
function silentCluster(format: Buffer): Buffer {
  const flagsAt = format.length < FORMAT_BYTES ? undefined : FLAGS_AT.get(format.readUInt16LE(0));
  if (flagsAt === undefined) return Buffer.alloc(0);
  const blockBytes = format.readUInt16LE(BLOCK_BYTES_AT);
  if (blockBytes < 2) return Buffer.alloc(0);
  // Without flags if the codec's own data is too short for them, as in the decoder.
  const flags = format.length < flagsAt + 2 ? 0 : format.readUInt16LE(flagsAt);
  const hasReservoir = (flags & RESERVOIR_FLAG) !== 0;
  const countPerBlock = COUNT_PER_STORED_BYTE * (blockBytes - 1);
  const droppingCount = hasReservoir ? Math.ceil(BUFFER_BYTES / countPerBlock) + 1 : 0;
  const firstBytes = [...Array<number>(droppingCount).fill(NO_FRAME), hasReservoir ? ONE_WHOLE_FRAME : 0];
  return element(CLUSTER, Buffer.concat(firstBytes.map((firstByte) => silentBlock(blockBytes, firstByte))));
}

/** Silent after its first byte. Its time is 0, because the decoder uses the order. */
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
