/** Builds Matroska files as RFC 8794 and RFC 9559 define them, for tests. */
export const UNKNOWN = 'unknown';

/** `size`: the size that the header states, if it is false. */
export function element(id: number, body: Uint8Array | string = '', size?: number | typeof UNKNOWN): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const idBytes = Buffer.alloc(id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
  idBytes.writeUIntBE(id, 0, idBytes.length);
  const sizeBytes = Buffer.from('01ffffffffffffff', 'hex');
  if (size !== UNKNOWN) sizeBytes.writeUIntBE(size ?? bytes.length, 2, 6);
  if (size !== UNKNOWN) sizeBytes[1] = 0;
  return Buffer.concat([idBytes, sizeBytes, bytes]);
}

export const EBML = element(0x1a45dfa3, element(0x4282, 'webm'));
export const AUDIO = 2;
export const VIDEO = 1;

interface TrackSpec {
  /** Blocks can refer to 127 at most. */
  readonly number: number;
  readonly type: typeof AUDIO | typeof VIDEO;
  readonly codecId: string;
  readonly codecPrivate?: Uint8Array;
  /** Elements in addition to those. */
  readonly more?: Uint8Array;
}

export function trackEntry({
  number,
  type,
  codecId,
  codecPrivate,
  more = Buffer.alloc(0),
}: TrackSpec): Buffer {
  return element(
    0xae,
    Buffer.concat([
      element(0xd7, number > 255 ? Buffer.of(number >> 8, number & 255) : Buffer.of(number)),
      element(0x83, Buffer.of(type)),
      element(0x86, codecId),
      ...(codecPrivate === undefined ? [] : [element(0x63a2, codecPrivate)]),
      more,
    ]),
  );
}

export function tracks(...entries: readonly Buffer[]): Buffer {
  return element(0x1654ae6b, Buffer.concat(entries));
}

export function simpleTag(name: string, value: string): Buffer {
  return element(0x67c8, Buffer.concat([element(0x45a3, name), element(0x4487, value)]));
}

export type Lacing = 'none' | 'xiph' | 'ebml' | 'fixed';
const LACING_FLAGS: Readonly<Record<Lacing, number>> = { none: 0, xiph: 2, fixed: 4, ebml: 6 };

/** The body of a block, or of a simple one. */
export function block(trackNumber: number, frames: readonly Buffer[], lacing: Lacing = 'none'): Buffer {
  const head = Buffer.of(0x80 | trackNumber, 0, 0, 0x80 | LACING_FLAGS[lacing]);
  if (lacing === 'none') return Buffer.concat([head, ...frames]);
  const sizes = frames.slice(0, -1).map((frame) => frame.length);
  const laced: number[] = [frames.length - 1];
  if (lacing === 'xiph')
    for (const size of sizes) {
      for (let left = size; ; left -= 255) {
        laced.push(Math.min(255, left));
        if (left < 255) break;
      }
    }
  // Two bytes for each number, whose differences are biased by 2^13 - 1.
  if (lacing === 'ebml')
    for (const [index, size] of sizes.entries()) {
      const value = index === 0 ? size : size - (sizes[index - 1] ?? 0) + 0x1fff;
      laced.push(0x40 | (value >> 8), value & 0xff);
    }
  return Buffer.concat([head, Buffer.from(laced), ...frames]);
}

export function simpleBlock(trackNumber: number, frames: readonly Buffer[], lacing?: Lacing): Buffer {
  return element(0xa3, block(trackNumber, frames, lacing));
}

/** `nanoseconds` at the end are not audible. */
export function blockGroup(trackNumber: number, frames: readonly Buffer[], discardNs?: number): Buffer {
  const padding = Buffer.alloc(8);
  padding.writeBigInt64BE(BigInt(discardNs ?? 0));
  const more = discardNs === undefined ? [] : [element(0x75a2, padding)];
  return element(
    0xa0,
    Buffer.concat([element(0xa1, block(trackNumber, frames)), element(0x9b, Buffer.of(20)), ...more]),
  );
}

export function cluster(content: readonly Buffer[], size?: typeof UNKNOWN): Buffer {
  return element(0x1f43b675, Buffer.concat([element(0xe7, Buffer.of(0)), ...content]), size);
}

export function segment(content: readonly Buffer[], size?: number | typeof UNKNOWN): Buffer {
  return element(0x18538067, Buffer.concat(content), size);
}
