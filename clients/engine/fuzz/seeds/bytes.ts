/** Building blocks of the hand-made sources. */

/** A little less than the engine's read-ahead: what follows a filler meets the end of a window. */
export const FILLER_BYTES = 65_536 - 100;

export function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

export function big(byteCount: number, ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(byteCount * values.length);
  for (const [index, value] of values.entries()) {
    let rest = value < 0 ? value + 2 ** (8 * byteCount) : value;
    for (let at = byteCount - 1; at >= 0; at--) {
      bytes[byteCount * index + at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
  }
  return bytes;
}

export function little(byteCount: number, ...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => big(byteCount, value).reverse()));
}

/** Not 0xff, so that no sync code comes about. */
export function noise(byteCount: number, seed = 1): Buffer {
  let state = seed;
  return Buffer.from(
    Uint8Array.from({ length: byteCount }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % 255;
    }),
  );
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
