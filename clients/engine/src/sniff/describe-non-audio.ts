import { pageTitle } from './page-title.ts';

/** A sentence for the caller that describes what the source seems to be instead of audio. */
export function describeNonAudio(body: Uint8Array): string {
  if (body.length === 0) return 'The source is empty.';
  const text = String.fromCharCode(...body.subarray(0, 256))
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .replace(/^\s*(?:<!--.*?-->\s*)*/s, '')
    .toLowerCase();
  const kind = KINDS.find(([, beginnings]) =>
    beginnings.some((beginning) => text.startsWith(beginning.toLowerCase())),
  );
  if (kind !== undefined) {
    const title = kind[0] === WEB_PAGE ? pageTitle(body) : undefined;
    const what = title === undefined ? kind[0] : `${kind[0]} (“${title}”)`;
    return `The source is ${what}, not an audio file.`;
  }
  if (body.every((byte) => byte === 0)) return 'The source holds nothing but zeros, not audio.';
  return 'The source is not audio in a format that can be split (MP3, WAV, FLAC, Ogg, AAC, MP4 and most others).';
}

const WEB_PAGE = 'a web page';

const KINDS: readonly (readonly [kind: string, beginnings: readonly string[]])[] = [
  ['a playlist', ['#EXTM3U', '#EXT-X-', '[playlist]', 'ffconcat', '<MPD', '<smil']],
  ['a session description', ['v=0\n', 'v=0\r\n']],
  [WEB_PAGE, ['<!doctype html', '<html', '<head', '<body', '<meta', '<title', '<script']],
  ['an XML document', ['<?xml', '<rss', '<svg']],
  ['a JSON document', ['{"', '{\n', '[{', '{}', '[]']],
  ['an archive', ['PK\u0003\u0004', '\u001f\u008b', '7z\u00bc\u00af', 'Rar!', 'BZh', '\u00fd7zXZ']],
  ['an image', ['\u00ff\u00d8\u00ff', '\u0089PNG', 'GIF8', 'II*\0', 'MM\0*']],
  ['a PDF document', ['%PDF']],
];
