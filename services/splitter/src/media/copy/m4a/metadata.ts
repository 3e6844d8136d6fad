import { createBox, findBox, readBoxes } from './boxes.ts';

/** Tags as iTunes writes them: `udta/meta/ilst`, one box per item, free-form ones named `----`. */
const META_VERSION_BYTES = 4;
const FREE_FORM = '----';
const GAPLESS_NAME = 'iTunSMPB';

/** Delay, padding and length in hexadecimal behind a reserved field, as in the comment `iTunSMPB`. */
const GAPLESS_PATTERN = /^\s*[0-9A-F]{8} ([0-9A-F]{8}) ([0-9A-F]{8}) ([0-9A-F]{16})/i;

export function readItunesGapless(
  moov: Buffer,
): { readonly delaySamples: number; readonly sampleCount: number } | undefined {
  for (const { type, body } of readBoxes(findItems(moov) ?? Buffer.alloc(0))) {
    if (type !== FREE_FORM || !isGaplessItem(body)) continue;
    const match = GAPLESS_PATTERN.exec(findBox(body, 'data')?.toString('latin1', 8) ?? '');
    if (match === null) return undefined;
    return {
      delaySamples: Number.parseInt(match[1] ?? '', 16),
      sampleCount: Number.parseInt(match[3] ?? '', 16),
    };
  }
  return undefined;
}

/**
 * A `udta` box with the movie's tags, cover included, for repetition in every segment; empty if there are none
 * or they are larger than `maxTagBytes`. What holds for the whole movie only, gapless data and chapters, is left
 * out.
 */
export function createTags(moov: Buffer, maxTagBytes: number): Buffer {
  const items = findItems(moov);
  if (items === undefined || items.length > maxTagBytes) return Buffer.alloc(0);
  const kept = [...readBoxes(items)].filter(({ type, body }) => type !== FREE_FORM || !isGaplessItem(body));
  const handler = createBox('hdlr', Buffer.alloc(8), Buffer.from('mdirappl', 'latin1'), Buffer.alloc(9));
  const list = createBox('ilst', ...kept.map(({ type, body }) => createBox(type, body)));
  return createBox('udta', createBox('meta', Buffer.alloc(META_VERSION_BYTES), handler, list));
}

function findItems(moov: Buffer): Buffer | undefined {
  const meta = findBox(moov, 'udta', 'meta');
  return meta && findBox(meta.subarray(META_VERSION_BYTES), 'ilst');
}

function isGaplessItem(item: Buffer): boolean {
  return findBox(item, 'name')?.toString('latin1', 4) === GAPLESS_NAME;
}
