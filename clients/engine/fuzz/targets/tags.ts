import { buildWavHeader, parseWavHeader } from '../../src/convert/samples/wav-header.ts';
import { longestSegmentTags, maxTagBytes, parseFfmetadata } from '../../src/convert/tags/tags.ts';
import { fitTag, numberTag } from '../../src/copy/mp3/id3-tag.ts';
import { createId3Retagger } from '../../src/copy/mp3/retag.ts';
import { numberComments, retagComments } from '../../src/copy/tags/vorbis-comment.ts';
import { exactPcmFormat, parseAudioStream } from '../../src/ffmpeg/stream-info.ts';
import { createCase } from '../engine/fuzz-case.ts';
import { assertHolds } from '../engine/fuzz-target.ts';
import { COMMENTS } from '../grammars/comments.ts';
import { ID3 } from '../grammars/id3.ts';
import { TEXT } from '../grammars/text.ts';
import { richTags } from '../seeds/id3.ts';
import { COMMENT_LIST } from '../seeds/ogg.ts';
import { FFMETADATA, STREAM_DESCRIPTIONS } from '../seeds/text.ts';
import { parserTarget } from './parser-target.ts';

/** A number of five digits in brackets, in up to a thousand titles, each of characters of two bytes at most. */
const MAX_GROWTH_BYTES = 1_000 * 2 * ' (10000)'.length + 100;

const OWN = { title: 'Ünder 😀', track: 9_999, trackCount: 10_000 };

const FIT_BYTES = 80;

export const ID3_TAG = parserTarget('id3-tag', ID3, id3Seeds, ({ source, parameter }) => {
  const fitted = fitTag(source, parameter);
  assertHolds(fitted === undefined || fitted.length <= parameter, 'a fitted tag fits');
  const numbered = numberTag(source, 1 + (parameter % 10_000));
  assertHolds(numbered.length <= source.length + MAX_GROWTH_BYTES, 'a numbered tag is hardly larger');
  for (const title of [undefined, OWN.title]) {
    const retagged = createId3Retagger(source)({ ...OWN, title });
    assertHolds(retagged.length <= source.length + 2 * MAX_GROWTH_BYTES, 'a retagged tag is hardly larger');
  }
});

function id3Seeds(): readonly Buffer[] {
  return richTags().map((tag) => createCase(tag, { parameter: FIT_BYTES }));
}

export const VORBIS_COMMENT = parserTarget(
  'vorbis-comment',
  COMMENTS,
  () => [createCase(COMMENT_LIST)],
  ({ source, parameter }) => {
    const at = Math.min(parameter % 16, source.length);
    const numbered = numberComments(source, at, 1 + (parameter % 10_000));
    assertHolds(numbered.length <= source.length + MAX_GROWTH_BYTES, 'numbered comments are hardly larger');
    for (const title of [undefined, OWN.title]) {
      const { length = 0 } = retagComments(source, at, { ...OWN, title }) ?? {};
      assertHolds(length <= source.length + MAX_GROWTH_BYTES, 'retagged comments are hardly larger');
    }
  },
);

export const FFMETADATA_TEXT = parserTarget(
  'ffmetadata',
  TEXT,
  () => FFMETADATA.map((text) => createCase(Buffer.from(text))),
  ({ source }) => {
    const tags = longestSegmentTags(parseFfmetadata(source.toString('utf8')));
    for (const value of tags.values()) assertHolds(!value.includes('\u0000'), 'no value holds a NUL');
    assertHolds(maxTagBytes(tags) > 0, 'a tag takes room');
    const header = buildWavHeader({ format: 's16le', sampleRateHz: 8_000, channelCount: 1 }, 10, tags);
    assertHolds(parseWavHeader(header)?.headerBytes === header.length, 'a header with the tags reads back');
  },
);

export const STREAM_INFO = parserTarget(
  'stream-info',
  TEXT,
  () => STREAM_DESCRIPTIONS.map((text) => createCase(Buffer.from(text))),
  ({ source }) => {
    const stream = parseAudioStream(source.toString('utf8'));
    if (stream !== undefined) exactPcmFormat(stream);
  },
);
