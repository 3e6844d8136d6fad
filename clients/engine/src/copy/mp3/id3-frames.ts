/**
 * The frames of any ID3v2 tag (id3.org), as independent frames of version 2.3 or 2.4. Unsynchronisation,
 * extended headers and footers are removed; sizes that iTunes wrote without the seven-bit coding of 2.4 are
 * corrected; frames of version 2.2, whose names have three letters, are renamed, and unknown ones of that
 * version are omitted.
 */
import { resynchronised } from '../tags/id3v2.ts';
import { createTag, framesOf, withSize } from './id3-tag.ts';

export interface Id3Frames {
  readonly version: 3 | 4;
  /** Headers included. */
  readonly frames: readonly Buffer[];
}

const HEADER_BYTES = 10;
const UNSYNCHRONISED_FLAG = 0x80;
const EXTENDED_FLAG = 0x40;
/** In version 2.2, the bit of the extended header means compression, which was never defined. */
const COMPRESSED_FLAG = 0x40;
const FRAME_FLAGS_AT = 9;
const FRAME_UNSYNCHRONISED_FLAG = 0x02;
const OLD_FRAME_HEADER_BYTES = 6;
const MAX_FRAMES = 1_000;

/** undefined if they cannot be walked reliably. */
export function readId3Frames(tag: Buffer): Id3Frames | undefined {
  const version = tag[3];
  const flags = tag[5] ?? 0;
  const body = tag.subarray(HEADER_BYTES, HEADER_BYTES + syncsafeAt(tag, 6));
  const isUnsynchronised = (flags & UNSYNCHRONISED_FLAG) !== 0;
  const isExtended = (flags & EXTENDED_FLAG) !== 0;
  switch (version) {
    case 2:
      if ((flags & COMPRESSED_FLAG) !== 0) return undefined;
      return readOldFrames(isUnsynchronised ? resynchronised(body) : body);
    case 3: {
      const plain = isUnsynchronised ? resynchronised(body) : body;
      // The size does not include itself.
      const start = isExtended && plain.length >= 4 ? 4 + plain.readUInt32BE(0) : 0;
      return framesFrom(3, plain.subarray(start));
    }
    case 4: {
      const read = framesFrom(4, body.subarray(isExtended ? syncsafeAt(body, 0) : 0));
      return isUnsynchronised && read ? { version: 4, frames: read.frames.map(resynchronisedFrame) } : read;
    }
    default:
      return undefined;
  }
}

function framesFrom(version: 3 | 4, body: Buffer): Id3Frames | undefined {
  const frames = framesOf(createTag(version, [body]));
  if (frames !== undefined) return { version, frames };
  const plain = version === 4 ? framesOf(createTag(3, [body])) : undefined;
  return plain && { version, frames: plain.map((frame) => withSize(Buffer.from(frame), 4)) };
}

function resynchronisedFrame(frame: Buffer): Buffer {
  const header = Buffer.from(frame.subarray(0, HEADER_BYTES));
  header.writeUInt8(header.readUInt8(FRAME_FLAGS_AT) & ~FRAME_UNSYNCHRONISED_FLAG, FRAME_FLAGS_AT);
  return withSize(Buffer.concat([header, resynchronised(frame.subarray(HEADER_BYTES))]), 4);
}

const NEW_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ COM: 'COMM', ULT: 'USLT', TXX: 'TXXX', WXX: 'WXXX', UFI: 'UFID', POP: 'POPM' }),
  ...Object.entries({ TAL: 'TALB', TBP: 'TBPM', TCM: 'TCOM', TCO: 'TCON', TCR: 'TCOP', TDA: 'TDAT' }),
  ...Object.entries({ TEN: 'TENC', TFT: 'TFLT', TKE: 'TKEY', TLA: 'TLAN', TMT: 'TMED', TOA: 'TOPE' }),
  ...Object.entries({ TOR: 'TORY', TP1: 'TPE1', TP2: 'TPE2', TP3: 'TPE3', TP4: 'TPE4', TPA: 'TPOS' }),
  ...Object.entries({ TPB: 'TPUB', TRC: 'TSRC', TRK: 'TRCK', TSS: 'TSSE', TT1: 'TIT1', TT2: 'TIT2' }),
  ...Object.entries({ TT3: 'TIT3', TXT: 'TEXT', TYE: 'TYER', TCP: 'TCMP', TS2: 'TSO2', TSA: 'TSOA' }),
  ...Object.entries({ TSC: 'TSOC', TSP: 'TSOP', TST: 'TSOT', WAR: 'WOAR', WCM: 'WCOM', WCP: 'WCOP' }),
]);
const MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ['JPG', 'image/jpeg'],
  ['PNG', 'image/png'],
]);

function readOldFrames(body: Buffer): Id3Frames | undefined {
  const frames: Buffer[] = [];
  let at = 0;
  for (let count = 0; at < body.length && body[at] !== 0; count++) {
    if (at + OLD_FRAME_HEADER_BYTES > body.length || count === MAX_FRAMES) return undefined;
    const id = body.toString('latin1', at, at + 3);
    const end = at + OLD_FRAME_HEADER_BYTES + body.readUIntBE(at + 3, 3);
    if (end > body.length || !/^[A-Z0-9]{3}$/.test(id)) return undefined;
    const content = body.subarray(at + OLD_FRAME_HEADER_BYTES, end);
    const renamed = id === 'PIC' ? newPicture(content) : newFrame(NEW_NAMES.get(id), content);
    if (renamed !== undefined) frames.push(renamed);
    at = end;
  }
  return { version: 3, frames };
}

/** The kind of picture file is three letters where later versions have a media type. */
function newPicture(content: Buffer): Buffer | undefined {
  const mimeType = MIME_TYPES.get(content.toString('latin1', 1, 4));
  if (mimeType === undefined) return undefined;
  return newFrame('APIC', content.subarray(0, 1), Buffer.from(`${mimeType}\0`), content.subarray(4));
}

function newFrame(id: string | undefined, ...parts: readonly Buffer[]): Buffer | undefined {
  if (id === undefined) return undefined;
  return withSize(Buffer.concat([Buffer.from(id), Buffer.alloc(6), ...parts]), 3);
}

function syncsafeAt(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((value, index) => value * 128 + (bytes[at + index] ?? 0), 0);
}
