/**
 * The audio tracks of an MP4. The others are hidden by renaming their boxes `free`, which readers skip
 * (ISO/IEC 14496-12 8.1.2). No byte moves, so edit lists, tags, chapters and the positions of frames stay
 * valid.
 */
import { findBox, readBoxes } from '../../../copy/m4a/boxes.ts';
import type { LocalFile } from '../../../source/local-file.ts';
import { isAudioTrack, locateMoov } from '../../trim/movie-index.ts';
import { bytesOfFile } from '../source-bytes.ts';
import { type AudioTracks, patchedCopy } from './audio-tracks.ts';

const FREE = Buffer.from('free');

/**
 * undefined if there is no index within the bounds, or if fragments follow it: they refer to their tracks,
 * which must exist.
 */
export async function mp4Tracks(file: LocalFile): Promise<AudioTracks | undefined> {
  const moov = await locateMoov(bytesOfFile({ ...file, name: '', container: 'mp4' }));
  if (moov === undefined || findBox(moov.body, 'mvex') !== undefined) return undefined;
  const { body, start } = moov;
  const tracks = [...readBoxes(body)].filter((box) => box.type === 'trak' && isAudioTrack(box.body));

  /** The position in the file. A box of more than 4 GiB has its length after its type. */
  function typeAt(track: Buffer): number {
    const at = track.byteOffset - body.byteOffset - 4;
    return start + (body.toString('latin1', at, at + 4) === 'trak' ? at : at - 8);
  }

  return {
    languages: tracks.map((track) => languageOf(track.body)),
    isolate: (index, path) =>
      patchedCopy(
        file,
        path,
        tracks.flatMap((track, other) => (other === index ? [] : [{ at: typeAt(track.body), bytes: FREE }])),
      ),
  };
}

/**
 * Three letters of five bits each, or one of QuickTime's numbers, which are all below (QuickTime File Format,
 * Language Code Values).
 */
function languageOf(track: Buffer): string | undefined {
  const extended = findBox(track, 'mdia', 'elng')?.toString('latin1', 4).replace(/\0.*$/s, '');
  if (extended !== undefined && extended !== '') return extended;
  const mediaHeader = findBox(track, 'mdia', 'mdhd');
  const at = mediaHeader?.[0] === 1 ? 32 : 20;
  if (mediaHeader === undefined || mediaHeader.length < at + 2) return undefined;
  const code = mediaHeader.readUInt16BE(at);
  if (code < 0x400) return MACINTOSH_LANGUAGES[code];
  const letters = [code >> 10, code >> 5, code].map((bits) => String.fromCharCode(0x60 + (bits & 31)));
  const language = letters.join('');
  return /^[a-z]{3}$/.test(language) && language !== 'und' ? language : undefined;
}

const MACINTOSH_LANGUAGES: readonly string[] = [
  ...[
    'eng',
    'fra',
    'deu',
    'ita',
    'nld',
    'swe',
    'spa',
    'dan',
    'por',
    'nor',
    'heb',
    'jpn',
    'ara',
    'fin',
    'ell',
  ],
  ...[
    'isl',
    'mlt',
    'tur',
    'hrv',
    'zho',
    'urd',
    'hin',
    'tha',
    'kor',
    'lit',
    'pol',
    'hun',
    'est',
    'lav',
    'sme',
  ],
  ...['fao', 'fas', 'rus', 'zho'],
];
