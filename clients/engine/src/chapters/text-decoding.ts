/** Texts of tags that state their own encoding. */

/**
 * Of an ID3v2 frame: the encoding's number, then the text, which ends with a zero or with the frame
 * (id3.org).
 */
export function decodeId3Text(encoding: number | undefined, bytes: Buffer): string {
  switch (encoding) {
    case 0:
      return upToZero(bytes.toString('latin1'));
    case 1:
      return upToZero(decodeUtf16(bytes, seemsBigEndian(bytes)));
    case 2:
      return upToZero(decodeUtf16(bytes, true));
    default:
      return upToZero(bytes.toString('utf8').replace(/^\ufeff/, ''));
  }
}

/** UTF-8, or UTF-16 after a byte order mark (QuickTime File Format, text media). */
export function decodeMarkedText(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfeff || mark === 0xfffe) return upToZero(decodeUtf16(bytes, mark === 0xfeff));
  return upToZero(bytes.toString('utf8'));
}

/** Where the text after a terminating zero begins (two bytes in UTF-16); undefined if there is none. */
export function afterZero(encoding: number | undefined, bytes: Buffer): number | undefined {
  if (encoding !== 1 && encoding !== 2) {
    const zero = bytes.indexOf(0);
    return zero < 0 ? undefined : zero + 1;
  }
  for (let at = 0; at + 2 <= bytes.length; at += 2) if (bytes.readUInt16LE(at) === 0) return at + 2;
  return undefined;
}

/** A byte order mark takes precedence. */
function decodeUtf16(bytes: Buffer, isBigEndian: boolean): string {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const mark = whole.length < 2 ? 0 : whole.readUInt16BE(0);
  const isMarked = mark === 0xfeff || mark === 0xfffe;
  const text = isMarked ? whole.subarray(2) : whole;
  const isBig = isMarked ? mark === 0xfeff : isBigEndian;
  return (isBig ? Buffer.from(text).swap16() : text).toString('utf16le');
}

/** If the byte order mark is missing: most titles begin with a letter whose high byte is zero. */
function seemsBigEndian(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes[1] !== 0;
}

function upToZero(text: string): string {
  const zero = text.indexOf('\0');
  return zero < 0 ? text : text.slice(0, zero);
}
