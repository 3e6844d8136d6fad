/**
 * The cue sheet of an APEv2 tag, which is at the end of the file or before an ID3v1 tag
 * (wiki.hydrogenaud.io).
 */
import type { FileBytes } from './file-bytes.ts';
import { MAX_TABLE_BYTES } from './source-chapters.ts';

const FOOTER_BYTES = 32;
const ID3V1_BYTES = 128;
const ITEM_HEADER_BYTES = 8;
const MAX_KEY_BYTES = 255;

export async function readApeCueSheet(bytes: FileBytes): Promise<string | undefined> {
  const end = await bytes.tail(ID3V1_BYTES + FOOTER_BYTES);
  const hasId3 = end.toString('latin1', end.length - ID3V1_BYTES, end.length - ID3V1_BYTES + 3) === 'TAG';
  const behindBytes = hasId3 ? ID3V1_BYTES : 0;
  const footerAt = end.length - behindBytes - FOOTER_BYTES;
  if (footerAt < 0 || end.toString('latin1', footerAt, footerAt + 8) !== 'APETAGEX') return undefined;
  // The size covers the items and the footer, not the header.
  const sizeBytes = end.readUInt32LE(footerAt + 12);
  const itemsAt = bytes.sizeBytes - behindBytes - sizeBytes;
  if (sizeBytes < FOOTER_BYTES || sizeBytes > MAX_TABLE_BYTES || itemsAt < 0) return undefined;
  return findCueSheet(await bytes.head(itemsAt, sizeBytes - FOOTER_BYTES));
}

/** Each item consists of its length, flags, a zero-terminated key, and a value. */
function findCueSheet(items: Buffer): string | undefined {
  for (let at = 0; at + ITEM_HEADER_BYTES < items.length; ) {
    const keyAt = at + ITEM_HEADER_BYTES;
    const keyBytes = items.subarray(keyAt, keyAt + MAX_KEY_BYTES + 1).indexOf(0);
    const valueAt = keyAt + keyBytes + 1;
    const end = valueAt + items.readUInt32LE(at);
    if (keyBytes < 0 || end > items.length) return undefined;
    if (items.toString('latin1', keyAt, keyAt + keyBytes).toLowerCase() === 'cuesheet')
      return items.toString('utf8', valueAt, end);
    at = end;
  }
  return undefined;
}
