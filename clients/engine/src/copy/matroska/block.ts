import { CopyNotPossibleError } from '../copy-contract.ts';
import { readVint } from './ebml.ts';

/** After the track's number: 16 bits of time, and flags. */
const FIXED_BYTES = 3;
const LACING_FLAGS = 0x06;
const XIPH = 0x02;
const FIXED_SIZE = 0x04;

/** The maximum length of a block's head before its lacing. */
export const MAX_BLOCK_HEAD_BYTES = 8 + FIXED_BYTES;

/** The track of the block that begins here; undefined if it cannot be read. */
export function blockTrack(body: Buffer): number | undefined {
  return readVint(body, 0)?.value;
}

/**
 * The frames of a block (RFC 9559 10.3), which may be laced. Throws CopyNotPossibleError if the sizes are
 * contradictory.
 */
export function blockFrames(body: Buffer): readonly Buffer[] {
  const flagsAt = (readVint(body, 0)?.byteCount ?? 0) + FIXED_BYTES - 1;
  const flags = body[flagsAt];
  if (flags === undefined) throw contradiction();
  const lacing = flags & LACING_FLAGS;
  const payload = body.subarray(flagsAt + 1);
  if (lacing === 0) return [payload];
  const countLess1 = payload[0];
  if (countLess1 === undefined) throw contradiction();
  switch (lacing) {
    case XIPH:
      return cut(payload, ...xiphSizes(payload, countLess1));
    case FIXED_SIZE: {
      const size = (payload.length - 1) / (countLess1 + 1);
      if (!Number.isInteger(size)) throw contradiction();
      return cut(
        payload,
        Array.from({ length: countLess1 }, () => size),
        1,
      );
    }
    default:
      return cut(payload, ...ebmlSizes(payload, countLess1));
  }
}

/** The sizes of all frames except the last, and where the first begins. */
type Sizes = [sizes: readonly number[], start: number];

function xiphSizes(payload: Buffer, count: number): Sizes {
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < count) {
    let size = 0;
    for (let byte = 255; byte === 255; at++) {
      byte = payload[at] ?? 0;
      size += byte;
    }
    sizes.push(size);
  }
  return [sizes, at];
}

/** The first size is stored directly, each other one as its difference from the previous one. */
function ebmlSizes(payload: Buffer, count: number): Sizes {
  const sizes: number[] = [];
  let at = 1;
  let size = 0;
  while (sizes.length < count) {
    const vint = readVint(payload, at);
    if (vint === undefined) throw contradiction();
    const bias = sizes.length === 0 ? 0 : 2 ** (7 * vint.byteCount - 1) - 1;
    size += vint.value - bias;
    sizes.push(size);
    at += vint.byteCount;
  }
  return [sizes, at];
}

function cut(payload: Buffer, sizes: readonly number[], start: number): readonly Buffer[] {
  const frames: Buffer[] = [];
  let at = start;
  for (const size of sizes) {
    // A few bytes could claim any number of empty frames.
    if (size <= 0 || at + size > payload.length) throw contradiction();
    frames.push(payload.subarray(at, at + size));
    at += size;
  }
  if (at >= payload.length) throw contradiction();
  frames.push(payload.subarray(at));
  return frames;
}

function contradiction(): CopyNotPossibleError {
  return new CopyNotPossibleError('a Matroska block contradicts itself');
}
