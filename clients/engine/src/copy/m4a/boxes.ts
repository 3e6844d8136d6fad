/** ISO base media boxes (ISO/IEC 14496-12 4.2): length, four-letter type, body. */
export interface Box {
  readonly type: string;
  readonly body: Buffer;
}

export interface BoxHeader {
  readonly type: string;
  readonly headerBytes: number;
  /** Header included; Infinity for a box that reaches to the end of the file. */
  readonly sizeBytes: number;
}

export const MAX_BOX_HEADER_BYTES = 16;

/** Reads the header at `at`; undefined if it is incomplete or contradictory. */
export function readBoxHeader(buffer: Buffer, at: number): BoxHeader | undefined {
  if (at + 8 > buffer.length) return undefined;
  const type = buffer.toString('latin1', at + 4, at + 8);
  const size32 = buffer.readUInt32BE(at);
  if (size32 === 0) return { type, headerBytes: 8, sizeBytes: Number.POSITIVE_INFINITY };
  if (size32 !== 1) return size32 < 8 ? undefined : { type, headerBytes: 8, sizeBytes: size32 };
  if (at + 16 > buffer.length) return undefined;
  const sizeBytes = Number(buffer.readBigUInt64BE(at + 8));
  return sizeBytes < 16 ? undefined : { type, headerBytes: 16, sizeBytes };
}

/** The consecutive boxes in `buffer`; stops at the first that does not fit. */
export function* readBoxes(buffer: Buffer): Generator<Box> {
  let at = 0;
  for (;;) {
    const header = readBoxHeader(buffer, at);
    if (header === undefined) return;
    const end = header.sizeBytes === Number.POSITIVE_INFINITY ? buffer.length : at + header.sizeBytes;
    if (end > buffer.length) return;
    yield { type: header.type, body: buffer.subarray(at + header.headerBytes, end) };
    at = end;
  }
}

/** Boxes after the match are not read, because there may be very many. */
export function firstBox(buffer: Buffer, isWanted: (box: Box) => boolean): Box | undefined {
  for (const box of readBoxes(buffer)) if (isWanted(box)) return box;
  return undefined;
}

/** The body of the first box of each type along the path, or undefined. */
export function findBox(buffer: Buffer, ...path: readonly string[]): Buffer | undefined {
  let body: Buffer | undefined = buffer;
  for (const type of path) {
    if (body === undefined) return undefined;
    body = firstBox(body, (box) => box.type === type)?.body;
  }
  return body;
}

/** The bodies of all boxes of a type directly in `buffer`. */
export function findBoxes(buffer: Buffer, type: string): readonly Buffer[] {
  return [...readBoxes(buffer)].filter((box) => box.type === type).map(({ body }) => body);
}

export function createBox(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 8));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...parts]);
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
