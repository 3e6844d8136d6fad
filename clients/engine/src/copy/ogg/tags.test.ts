import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createSource } from '../testing/ffmpeg.ts';
import { splitBuffer } from '../testing/split-buffer.ts';
import { parsePages } from './testing/pages.ts';

const PICTURE = `METADATA_BLOCK_PICTURE=${'ABCD'.repeat(2_000)}`;
const TAGS = ['title=Sweep', 'artist=Ä', 'track=7', PICTURE].flatMap((tag) => ['-metadata', tag]);
const FORMATS = [
  { container: 'ogg-vorbis', encoder: 'libvorbis', extension: 'ogg', commentsAt: 7 },
  { container: 'ogg-opus', encoder: 'libopus', extension: 'opus', commentsAt: 8 },
] as const;

for (const { container, encoder, extension, commentsAt } of FORMATS) {
  describe(`${container} tags`, () => {
    let source: Buffer = Buffer.alloc(0);

    before(async () => {
      const encode = ['-c:a', encoder, '-b:a', '96k', ...TAGS];
      source = await createSource({ seconds: 7, sampleRateHz: 48_000, channelCount: 2, encode, extension });
    });

    function assertTags(files: readonly Buffer[], further: readonly string[]): void {
      assert.ok(files.length > 2);
      for (const [index, file] of files.entries()) {
        const number = index + 1;
        const tags = readComments(file, commentsAt).filter((comment) => !/^(vendor|encoder)=/i.test(comment));
        const expected = [`TITLE=Sweep (${number})`, 'ARTIST=Ä', `TRACKNUMBER=${number}`, ...further];
        assert.deepEqual(tags.map(withUpperName).sort(), expected.sort());
      }
    }

    test('every segment has the cover, the title and its number', async () => {
      const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;
      assertTags((await splitBuffer(container, source, cut)).files, [PICTURE]);
    });

    test('the cover is removed if the tags take more than a tenth of a segment', async () => {
      const cut = { mode: 'fileSize', maxFileSizeBytes: 25_000 } as const;
      assertTags((await splitBuffer(container, source, cut)).files, []);
    });
  });
}

/** Returns the comments of a file; they are its second packet. */
function readComments(file: Buffer, commentsAt: number): string[] {
  const pages = parsePages(file);
  const packet = Buffer.concat(pages.slice(1).map((page) => page.body));
  let at = commentsAt;
  const readField = (): string => {
    const start = at + 4;
    at = start + packet.readUInt32LE(at);
    return packet.toString('utf8', start, at);
  };
  readField();
  const count = packet.readUInt32LE(at);
  at += 4;
  return Array.from({ length: count }, readField);
}

function withUpperName(comment: string): string {
  return comment.replace(/^[^=]*/, (name) => name.toUpperCase());
}
