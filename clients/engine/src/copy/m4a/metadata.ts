import type { SegmentTags } from '../copy-contract.ts';
import { titleSuffix } from '../tags/segment-tags.ts';
import { type Box, createBox, findBox, readBoxes, uint32 } from './boxes.ts';

/** Tags as iTunes writes them: `udta/meta/ilst`, one box per item; free-form items are named `----`. */
const META_VERSION_BYTES = 4;
const FREE_FORM = '----';
const TITLE_ITEM = '\u00a9nam';
const TRACK_ITEM = 'trkn';
const COVER_ITEM = 'covr';
const UTF8_VALUE = 1;
const BINARY_VALUE = 0;
const GAPLESS_NAME = 'iTunSMPB';

/** Delay, padding and length in hexadecimal after a reserved field, as in the comment `iTunSMPB`. */
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
 * Returns a function that builds the `udta` box of segment `number` (from 1 on): the movie's tags, with the
 * number as the track and after the title. The cover is omitted if the tags exceed `maxTagBytes`, and all
 * tags if that is not enough. Data that applies only to the whole movie (gapless data and chapters) is always
 * omitted. A segment's own tags replace the number.
 */
export function createTags(
  moov: Buffer,
  maxTagBytes: number,
): (number: number, own: SegmentTags | undefined) => Buffer {
  const all = [...readBoxes(findItems(moov) ?? Buffer.alloc(0))].filter(
    ({ type, body }) => type !== TRACK_ITEM && (type !== FREE_FORM || !isGaplessItem(body)),
  );
  const withoutCover = all.filter(({ type }) => type !== COVER_ITEM);
  const kept = [all, withoutCover].find((items) => itemBytes(items) <= maxTagBytes) ?? [];
  const title = kept.find(({ type }) => type === TITLE_ITEM)?.body;
  const others = kept
    .filter(({ type }) => type !== TITLE_ITEM)
    .map(({ type, body }) => createBox(type, body));
  const unnumbered = Buffer.concat(others);
  const handler = createBox('hdlr', Buffer.alloc(8), Buffer.from('mdirappl', 'latin1'), Buffer.alloc(9));
  return (number, own) => {
    const track = own?.track ?? number;
    const titles =
      own?.title !== undefined
        ? [titleItem(own.title)]
        : title === undefined
          ? []
          : [numberedTitle(title, track)];
    const list = createBox('ilst', ...titles, unnumbered, trackItem(track, own?.trackCount ?? 0));
    return createBox('udta', createBox('meta', Buffer.alloc(META_VERSION_BYTES), handler, list));
  };
}

function itemBytes(items: readonly Box[]): number {
  return items.reduce((sum, { body }) => sum + 8 + body.length, 0);
}

/** Values begin with a type (1 is text) and a locale. */
function numberedTitle(item: Buffer, number: number): Buffer {
  const value = findBox(item, 'data');
  if (value === undefined || value.length < 8 || value.readUInt32BE(0) !== UTF8_VALUE)
    return createBox(TITLE_ITEM, item);
  return createBox(TITLE_ITEM, createBox('data', value, Buffer.from(titleSuffix(number))));
}

function titleItem(title: string): Buffer {
  return createBox(TITLE_ITEM, createBox('data', uint32(UTF8_VALUE, 0), Buffer.from(title)));
}

/** 0 if the number of tracks is unknown during the cut. */
function trackItem(number: number, count: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeUInt16BE(number, 2);
  value.writeUInt16BE(count, 4);
  return createBox(TRACK_ITEM, createBox('data', uint32(BINARY_VALUE, 0), value));
}

function findItems(moov: Buffer): Buffer | undefined {
  const meta = findBox(moov, 'udta', 'meta');
  return meta && findBox(meta.subarray(META_VERSION_BYTES), 'ilst');
}

function isGaplessItem(item: Buffer): boolean {
  return findBox(item, 'name')?.toString('latin1', 4) === GAPLESS_NAME;
}
