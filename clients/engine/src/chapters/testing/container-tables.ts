/** Builds chapters in MP4 and Matroska as their standards define them, for tests. */
import { createBox, uint32 } from '../../copy/m4a/boxes.ts';
import { formatPage } from '../../copy/ogg/testing/pages.ts';
import { EBML, element, segment } from '../../copy/testing/matroska.ts';
import { big } from './tag-tables.ts';

interface TextTrackSpec {
  readonly texts: readonly Uint8Array[];
  readonly durationsTicks: readonly number[];
  /** In the track's ticks, or -1, with its length in the movie's. */
  readonly edits?: readonly (readonly [durationTicks: number, mediaTime: number])[];
  /** By default all samples lie in one chunk. */
  readonly samplesPerChunk?: number;
}

const TICKS_PER_SECOND = 1_000;
const AUDIO_TRACK_ID = 1;
const TEXT_TRACK_ID = 2;

export function textSample(text: string | Uint8Array): Buffer {
  const bytes = Buffer.from(text as string);
  return Buffer.concat([big(2, bytes.length), bytes]);
}

/** A movie whose audio has no frames and refers to a text track; `more` are further boxes of its `moov`. */
export function textMovie(spec: TextTrackSpec, ...more: readonly Buffer[]): Buffer {
  const fileType = createBox('ftyp', Buffer.from('M4A '), uint32(0));
  const media = createBox('mdat', Buffer.concat(spec.texts));
  const sound = track(
    AUDIO_TRACK_ID,
    'soun',
    createBox('stbl'),
    createBox('tref', createBox('chap', uint32(TEXT_TRACK_ID))),
  );
  const text = track(TEXT_TRACK_ID, 'text', textTables(spec, fileType.length + 8), editBox(spec.edits));
  const header = fullBox('mvhd', uint32(0, 0, TICKS_PER_SECOND, 0));
  return Buffer.concat([fileType, media, createBox('moov', header, sound, text, ...more)]);
}

function fullBox(type: string, ...parts: readonly Buffer[]): Buffer {
  return createBox(type, uint32(0), ...parts);
}

function track(id: number, handler: string, tables: Buffer, ...more: readonly Buffer[]): Buffer {
  const media = createBox(
    'mdia',
    fullBox('mdhd', uint32(0, 0, TICKS_PER_SECOND, 0, 0)),
    fullBox('hdlr', uint32(0), Buffer.from(handler), Buffer.alloc(13)),
    createBox('minf', tables),
  );
  return createBox('trak', fullBox('tkhd', uint32(0, 0, id, 0, 0)), ...more, media);
}

function editBox(edits: TextTrackSpec['edits']): Buffer {
  if (edits === undefined) return createBox('edts');
  const entries = edits.map(([duration, mediaTime]) => uint32(duration, mediaTime >>> 0, 0x10000));
  return createBox('edts', fullBox('elst', uint32(edits.length), ...entries));
}

function textTables(
  { texts, durationsTicks, samplesPerChunk = texts.length }: TextTrackSpec,
  mediaAt: number,
): Buffer {
  const offsets: number[] = [];
  let at = mediaAt;
  for (const [index, text] of texts.entries()) {
    if (index % samplesPerChunk === 0) offsets.push(at);
    at += text.length;
  }
  return createBox(
    'stbl',
    fullBox(
      'stts',
      uint32(durationsTicks.length),
      Buffer.concat(durationsTicks.map((ticks) => uint32(1, ticks))),
    ),
    fullBox('stsc', uint32(1, 1, samplesPerChunk, 1)),
    fullBox('stsz', uint32(0, texts.length), Buffer.concat(texts.map((text) => uint32(text.length)))),
    fullBox('stco', uint32(offsets.length), Buffer.concat(offsets.map((offset) => uint32(offset)))),
  );
}

/** Nero's box in its own format; version 0 has one byte for the number. */
export function neroChapters(
  version: 0 | 1,
  chapters: readonly { readonly startSeconds: number; readonly title: string }[],
): Buffer {
  const count =
    version === 0 ? Buffer.of(chapters.length) : Buffer.concat([Buffer.of(0), uint32(chapters.length)]);
  const entries = chapters.map(({ startSeconds, title }) => {
    const bytes = Buffer.from(title);
    return Buffer.concat([big(8, Math.round(startSeconds * 1e7)), Buffer.of(bytes.length), bytes]);
  });
  return createBox('udta', createBox('chpl', Buffer.of(version, 0, 0, 0), count, ...entries));
}

/** A movie without a track. */
export function bareMovie(...boxes: readonly Buffer[]): Buffer {
  return Buffer.concat([createBox('ftyp', Buffer.from('M4A '), uint32(0)), createBox('moov', ...boxes)]);
}

interface AtomSpec {
  readonly startSeconds: number;
  /** Up to 255; by default all have the same. */
  readonly uid?: number;
  readonly title?: string;
  readonly within?: readonly AtomSpec[];
  readonly isHidden?: boolean;
  readonly isDisabled?: boolean;
  readonly isLinked?: boolean;
}

function atom({
  startSeconds,
  uid = 1,
  title,
  within = [],
  isHidden,
  isDisabled,
  isLinked,
}: AtomSpec): Buffer {
  const parts = [
    element(0x73c4, Buffer.of(uid)),
    element(0x91, big(8, Math.round(startSeconds * 1e9))),
    ...(isHidden === true ? [element(0x98, Buffer.of(1))] : []),
    ...(isDisabled === true ? [element(0x4598, Buffer.of(0))] : []),
    ...(isLinked === true ? [element(0x6e67, Buffer.alloc(16, 1))] : []),
    ...(title === undefined ? [] : [element(0x80, element(0x85, title))]),
    ...within.map(atom),
  ];
  return element(0xb6, Buffer.concat(parts));
}

interface EditionSpec {
  readonly atoms: readonly AtomSpec[];
  readonly isDefault?: boolean;
  readonly isHidden?: boolean;
}

/** The Chapters element. */
export function chaptersElement(...editions: readonly EditionSpec[]): Buffer {
  const entries = editions.map(({ atoms, isDefault, isHidden }) => {
    const flags = [
      ...(isHidden === true ? [element(0x45bd, Buffer.of(1))] : []),
      ...(isDefault === true ? [element(0x45db, Buffer.of(1))] : []),
    ];
    return element(0x45b9, Buffer.concat([...flags, ...atoms.map(atom)]));
  });
  return element(0x1043a770, Buffer.concat(entries));
}

/** A SeekHead that refers to a position that far after the Segment's beginning. */
export function seekHead(...targets: readonly (readonly [id: number, position: number])[]): Buffer {
  const seeks = targets.map(([id, position]) =>
    element(0x4dbb, Buffer.concat([element(0x53ab, big(4, id)), element(0x53ac, big(4, position))])),
  );
  return element(0x114d9b74, Buffer.concat(seeks));
}

export function matroskaFile(...content: readonly Buffer[]): Buffer {
  return Buffer.concat([EBML, segment(content)]);
}

/** One stream, a page for each packet of at most 65,025 bytes. */
export function oggFile(packets: readonly Buffer[]): Buffer {
  return Buffer.concat(
    packets.map((body, sequence) => {
      const full = Array.from({ length: Math.floor(body.length / 255) }, () => 255);
      const lacing = [...full, body.length % 255];
      return formatPage({
        flags: sequence === 0 ? 2 : 0,
        granulePosition: 0,
        serial: 7,
        sequence,
        lacing,
        body,
      });
    }),
  );
}
