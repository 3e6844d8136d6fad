import type { SegmentTags } from '../copy-contract.ts';
import { createId3Retagger } from '../mp3/retag.ts';
import { titleSuffix } from '../tags/segment-tags.ts';
import { chunk } from './segment-header.ts';

/** The list of texts about a file (Microsoft Multimedia Programming Interface 1.0, chapter 2). */
const INFO = 'INFO';
const TITLE = 'INAM';
const TRACK = 'ITRK';
/** Programs use either name for the track. */
const TRACK_NAMES: ReadonlySet<string> = new Set([TRACK, 'IPRT']);
const MAX_TEXTS = 1_000;

interface Chunk {
  readonly id: string;
  readonly body: Buffer;
}

/**
 * Returns a function that builds the `LIST` and `id3 ` chunks of a segment: the source's other tags, and the
 * segment's own title and track. A source without an INFO list gets one.
 */
export function createChunkRetagger(chunks: Buffer): (tags: SegmentTags) => Buffer {
  const parsed = readChunks(chunks);
  const retaggers = parsed.map(chunkRetagger);
  if (!parsed.some(isInfo)) retaggers.unshift((tags) => createInfo([], tags));
  return (tags) => Buffer.concat(retaggers.map((retag) => retag(tags)));
}

function chunkRetagger({ id, body }: Chunk): (tags: SegmentTags) => Buffer {
  if (id === 'id3 ') {
    const retag = createId3Retagger(body);
    return (tags) => chunk(id, Buffer.concat(retag(tags)));
  }
  if (isInfo({ id, body })) {
    const texts = readChunks(body.subarray(INFO.length));
    return (tags) => createInfo(texts, tags);
  }
  const kept = chunk(id, body);
  return () => kept;
}

function isInfo({ id, body }: Chunk): boolean {
  return id === 'LIST' && body.toString('latin1', 0, INFO.length) === INFO;
}

function createInfo(source: readonly Chunk[], { title, track, trackCount }: SegmentTags): Buffer {
  const kept = source.filter(({ id }) => !TRACK_NAMES.has(id));
  const titled =
    title === undefined
      ? kept.map((text) =>
          text.id === TITLE ? { id: TITLE, body: suffixed(text.body, titleSuffix(track)) } : text,
        )
      : [textOf(TITLE, title), ...kept.filter(({ id }) => id !== TITLE)];
  const texts = [...titled, textOf(TRACK, `${track}/${trackCount}`)];
  return chunk('LIST', Buffer.concat([Buffer.from(INFO), ...texts.map(({ id, body }) => chunk(id, body))]));
}

/** Texts end with a zero. */
function textOf(id: string, text: string): Chunk {
  return { id, body: Buffer.from(`${text}\0`) };
}

function suffixed(text: Buffer, suffix: string): Buffer {
  const end = text.indexOf(0);
  return Buffer.concat([end < 0 ? text : text.subarray(0, end), Buffer.from(`${suffix}\0`)]);
}

/** Stops at the first that does not fit. */
function readChunks(bytes: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at + 8 <= bytes.length && chunks.length < MAX_TEXTS; ) {
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) break;
    chunks.push({ id: bytes.toString('latin1', at, at + 4), body: bytes.subarray(at + 8, end) });
    at = end + ((end - at) % 2);
  }
  return chunks;
}
