import type { SegmentTags } from '../copy-contract.ts';
import { titleSuffix } from '../tags/segment-tags.ts';
import { type Id3Frames, readId3Frames } from './id3-frames.ts';
import { idOf, suffixedText, tagParts, withSize } from './id3-tag.ts';

/** They refer to times or bytes of the whole source, including chapters. */
const SOURCE_ONLY: ReadonlySet<string> = new Set([
  ...['CHAP', 'CTOC', 'TLEN', 'ETCO', 'MLLT', 'SYTC', 'SYLT', 'ASPI', 'SEEK', 'POSS'],
]);
const LATIN1 = 0;
const UTF16 = 1;
const UTF8 = 3;

/**
 * Returns a function that builds a segment's tag, in parts: the source's other frames, and the segment's own title and
 * track. If the source has no readable tag, the segment gets one of version 2.4 with nothing else.
 */
export function createId3Retagger(source: Buffer | undefined): (tags: SegmentTags) => readonly Buffer[] {
  let parsed: Id3Frames | undefined;
  return ({ title, track, trackCount }) => {
    parsed ??= keptFrames(source);
    const { version, frames } = parsed;
    const titled =
      title === undefined
        ? frames.map((frame) =>
            idOf(frame) === 'TIT2' ? suffixedText(frame, titleSuffix(track), version) : frame,
          )
        : [textFrame('TIT2', title, version), ...frames.filter((frame) => idOf(frame) !== 'TIT2')];
    return tagParts(version, [...titled, textFrame('TRCK', `${track}/${trackCount}`, version)]);
  };
}

function keptFrames(source: Buffer | undefined): Id3Frames {
  const { version, frames } = (source && readId3Frames(source)) ?? NO_FRAMES;
  const kept = frames.filter((frame) => idOf(frame) !== 'TRCK' && !SOURCE_ONLY.has(idOf(frame)));
  return { version, frames: kept };
}

const NO_FRAMES: Id3Frames = { version: 4, frames: [] };

/** UTF-8 came with version 2.4. */
function textFrame(id: string, text: string, version: 3 | 4): Buffer {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const body = isAscii
    ? [Buffer.of(LATIN1), Buffer.from(text, 'latin1')]
    : version === 4
      ? [Buffer.of(UTF8), Buffer.from(text)]
      : [Buffer.of(UTF16, 0xff, 0xfe), Buffer.from(text, 'utf16le')];
  return withSize(Buffer.concat([Buffer.from(id), Buffer.alloc(6), ...body]), version);
}
