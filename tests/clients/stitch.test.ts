/** The Python client's tests run the same cases. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stitch, type TranscriptFormat, type TranscriptLine, writeTranscript } from '@audiosplit/client';
import { repositoryRoot } from '../../deploy/launcher.mjs';

type Stitch = Parameters<typeof stitch>;

interface Case extends Partial<Record<TranscriptFormat, string>> {
  readonly name: string;
  readonly segments: Stitch[0];
  readonly transcripts: Stitch[1];
  readonly lines: readonly TranscriptLine[];
}

const cases: readonly Case[] = JSON.parse(
  await readFile(join(repositoryRoot, 'clients/cases/stitch.json'), 'utf8'),
);

describe('transcripts of segments are merged', () => {
  for (const { name, segments, transcripts, lines, ...texts } of cases) {
    test(name, () => {
      const stitched = stitch(segments, transcripts);
      assert.deepEqual(stitched, lines);
      for (const format of ['text', 'srt', 'vtt'] as const)
        if (texts[format] !== undefined) assert.equal(writeTranscript(stitched, format), texts[format]);
      assert.deepEqual(JSON.parse(writeTranscript(stitched, 'json')), lines);
    });
  }

  test('every segment needs a transcript', () => {
    assert.throws(() => stitch([{ startTime: 0, endTime: 1 }], []), TypeError);
    assert.deepEqual(stitch([], []), []);
  });
});
