import { MAX_COMMENTS } from '../tags/vorbis-comment.ts';

/**
 * The comment packet whose comments begin at `at`, without its cover pictures if it is larger than
 * `maxBytes`; undefined if that is not enough, if there are too many comments, or if lengths are
 * contradictory.
 */
export function fitComments(packet: Buffer, at: number, maxBytes: number): Buffer | undefined {
  if (packet.length <= maxBytes) return packet;
  const fitting = withoutCoverArt(packet, at);
  return fitting !== undefined && fitting.length <= maxBytes ? fitting : undefined;
}

/** A FLAC picture block in base64, and the older form: the bare picture, with its type in another field. */
const COVER_NAMES = ['METADATA_BLOCK_PICTURE=', 'COVERART=', 'COVERARTMIME='];
const LENGTH_BYTES = 4;

function withoutCoverArt(packet: Buffer, at: number): Buffer | undefined {
  const countAt = fieldEnd(packet, at);
  if (countAt === undefined || countAt + LENGTH_BYTES > packet.length) return undefined;
  const count = packet.readUInt32LE(countAt);
  if (count > MAX_COMMENTS) return undefined;
  const kept: Buffer[] = [];
  let start = countAt + LENGTH_BYTES;
  for (let index = 0; index < count; index++) {
    const end = fieldEnd(packet, start);
    if (end === undefined) return undefined;
    if (!isCoverArt(packet, start + LENGTH_BYTES, end)) kept.push(packet.subarray(start, end));
    start = end;
  }
  const keptCount = Buffer.alloc(LENGTH_BYTES);
  keptCount.writeUInt32LE(kept.length);
  return Buffer.concat([packet.subarray(0, countAt), keptCount, ...kept, packet.subarray(start)]);
}

/** The end of the field whose length is at `at`; undefined if that is outside of the packet. */
function fieldEnd(packet: Buffer, at: number): number | undefined {
  if (at + LENGTH_BYTES > packet.length) return undefined;
  const end = at + LENGTH_BYTES + packet.readUInt32LE(at);
  return end <= packet.length ? end : undefined;
}

function isCoverArt(packet: Buffer, start: number, end: number): boolean {
  return COVER_NAMES.some(
    (name) => packet.toString('latin1', start, Math.min(end, start + name.length)).toUpperCase() === name,
  );
}
