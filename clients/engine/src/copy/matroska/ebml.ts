/**
 * EBML elements (RFC 8794): an ID, a length, a body. The first byte of either number determines its width.
 */
export interface ElementHeader {
  /** With its length marker, as usually written. */
  readonly id: number;
  readonly headerBytes: number;
  /** The size of the body; Infinity if it is unknown. */
  readonly bodyBytes: number;
}

interface Element {
  readonly id: number;
  readonly body: Buffer;
}

interface Vint {
  /** Infinity if all its bits are set. */
  readonly value: number;
  readonly byteCount: number;
}

const MAX_ID_BYTES = 4;
const MAX_SIZE_BYTES = 8;
export const MAX_ELEMENT_HEADER_BYTES = MAX_ID_BYTES + MAX_SIZE_BYTES;

/** undefined if it is incomplete or longer than allowed. */
export function readElementHeader(buffer: Buffer, at: number): ElementHeader | undefined {
  const idBytes = vintBytes(buffer[at]);
  if (idBytes === undefined || idBytes > MAX_ID_BYTES || at + idBytes > buffer.length) return undefined;
  const size = readVint(buffer, at + idBytes);
  if (size === undefined) return undefined;
  return {
    id: buffer.readUIntBE(at, idBytes),
    headerBytes: idBytes + size.byteCount,
    bodyBytes: size.value,
  };
}

/**
 * Values beyond 2^53 are rounded: no source is that long. undefined if it is incomplete or longer than
 * allowed.
 */
export function readVint(buffer: Buffer, at: number): Vint | undefined {
  const byteCount = vintBytes(buffer[at]);
  if (byteCount === undefined || at + byteCount > buffer.length) return undefined;
  let value = buffer.readUInt8(at) - 2 ** (8 - byteCount);
  let hasAllBits = value === 2 ** (8 - byteCount) - 1;
  for (let index = 1; index < byteCount; index++) {
    const byte = buffer.readUInt8(at + index);
    hasAllBits &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return { value: hasAllBits ? Number.POSITIVE_INFINITY : value, byteCount };
}

function vintBytes(first: number | undefined): number | undefined {
  return first === undefined || first === 0 ? undefined : Math.clz32(first) - 23;
}

/** The consecutive elements in `body`; stops at the first that does not fit. */
export function* readElements(body: Buffer): Generator<Element> {
  for (let at = 0; ; ) {
    const header = readElementHeader(body, at);
    if (header === undefined) return;
    const start = at + header.headerBytes;
    const end = start + header.bodyBytes;
    if (end > body.length) return;
    yield { id: header.id, body: body.subarray(start, end) };
    at = end;
  }
}

export function findElement(body: Buffer, id: number): Buffer | undefined {
  for (const element of readElements(body)) if (element.id === id) return element.body;
  return undefined;
}

/** undefined if it is wider than 6 bytes, which none of the numbers needed here is. */
export function readUnsigned(body: Buffer | undefined): number | undefined {
  if (body === undefined || body.length > 6) return undefined;
  return body.length === 0 ? 0 : body.readUIntBE(0, body.length);
}
