/**
 * The audio tracks of a Matroska. The others are hidden by declaring them subtitles, which are not read here.
 * No byte moves, and a reader that finds their blocks still finds their track number.
 */
import {
  findElement,
  MAX_ELEMENT_HEADER_BYTES,
  readElementHeader,
  readElements,
  readUnsigned,
} from '../../../copy/matroska/ebml.ts';
import { CLUSTER, EBML_HEADER, SEGMENT, TRACKS } from '../../../copy/matroska/elements.ts';
import type { LocalFile } from '../../../source/local-file.ts';
import { readRange } from '../source-file.ts';
import { type AudioTracks, patchedCopy } from './audio-tracks.ts';

const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const LANGUAGE = 0x22b59c;
const LANGUAGE_BCP47 = 0x22b59d;
const AUDIO = 2;
const SUBTITLE = Buffer.from([0x11]);
/** The default if the element is missing (RFC 9559 5.1.4.1.19). */
const DEFAULT_LANGUAGE = 'eng';

const WINDOW_BYTES = 4_096;
const MAX_TRACKS_BYTES = 16 * 1024 * 1024;
/** The maximum number of elements before the tracks; writers produce a handful. */
const MAX_ELEMENTS = 500;

/** undefined if no list of tracks precedes the audio. */
export async function matroskaTracks(file: LocalFile): Promise<AudioTracks | undefined> {
  const list = await locateTracks(file);
  if (list === undefined) return undefined;
  const { body, start } = list;
  const tracks = [...readElements(body)]
    .filter(({ id }) => id === TRACK_ENTRY)
    .map((entry) => ({ entry: entry.body, type: findElement(entry.body, TRACK_TYPE) }))
    .filter(({ type }) => readUnsigned(type) === AUDIO);
  return {
    languages: tracks.map(({ entry }) => languageOf(entry)),
    isolate: (index, path) =>
      patchedCopy(
        file,
        path,
        tracks.flatMap(({ type }, other) =>
          other === index || type === undefined
            ? []
            : // The number's last byte, however wide it is.
              [{ at: start + type.byteOffset - body.byteOffset + type.length - 1, bytes: SUBTITLE }],
        ),
      ),
  };
}

async function locateTracks({
  path,
  sizeBytes,
}: LocalFile): Promise<{ readonly start: number; readonly body: Buffer } | undefined> {
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  let at = 0;
  for (let count = 0; count < MAX_ELEMENTS && at < sizeBytes; count += 1) {
    if (at + MAX_ELEMENT_HEADER_BYTES > windowStart + window.length) {
      window = await readRange(path, at, WINDOW_BYTES);
      windowStart = at;
    }
    const header = readElementHeader(window, at - windowStart);
    if (header === undefined || header.id === CLUSTER || (count === 0 && header.id !== EBML_HEADER))
      return undefined;
    const start = at + header.headerBytes;
    if (header.id === TRACKS) {
      if (header.bodyBytes > MAX_TRACKS_BYTES) return undefined;
      return { start, body: await readRange(path, start, header.bodyBytes) };
    }
    // All others are inside the segment.
    at = header.id === SEGMENT ? start : start + header.bodyBytes;
  }
  return undefined;
}

function languageOf(entry: Buffer): string | undefined {
  const text = (id: number): string | undefined =>
    findElement(entry, id)?.toString('latin1').replace(/\0+$/, '');
  const language = text(LANGUAGE_BCP47) ?? text(LANGUAGE) ?? DEFAULT_LANGUAGE;
  return language === '' || language === 'und' ? undefined : language;
}
