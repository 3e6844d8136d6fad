/** The pieces that hostile files are put together from. */

export function u16le(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

export function u32le(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

export function u32be(...values: number[]): Buffer {
  return u32le(...values).swap32();
}

export function u64le(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

export function u64be(value: bigint): Buffer {
  return u64le(value).swap64();
}

/** One byte per character. */
export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

export function joined(...parts: readonly (Uint8Array | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin1(part) : part)));
}

export function repeated(part: Uint8Array, times: number): Buffer {
  return Buffer.alloc(part.length * times, part);
}

/** A copy with other bytes at `offset`. */
export function patched(bytes: Uint8Array, offset: number, replacement: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(replacement, offset);
  return copy;
}

/** Bytes without pattern, the same at every call (a linear congruential generator). */
export function noise(length: number, seed = 1): Buffer {
  let state = seed;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 16;
    }),
  );
}
