/** What the type of a request refuses. The type checker reports a `@ts-expect-error` without an error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SplitRequest } from './types.ts';

const sourceUrl = 'https://audio.example.org/talk.mp3';

test('each mode accepts its own fields, and the options of every mode', () => {
  const options = { sourceUrl, maxDuration: 60, audioTrack: 'eng', fileName: '{title}' } as const;
  const accepted: readonly SplitRequest[] = [
    { splitMode: 'duration', segmentDuration: 60, overlap: 1, trim: { start: '0:10' }, ...options },
    { splitMode: 'fileSize', maxFileSize: 100_000, overlap: 1, trim: { end: 20 }, ...options },
    { splitMode: 'silence', silence: { threshold: 'auto' }, overlap: 1, trim: { start: 1 }, ...options },
    { splitMode: 'chapters', chapters: [{ startTime: '0:01' }], trim: { start: 1 }, ...options },
    { splitMode: 'ranges', ranges: [{ start: 1, end: '0:02', title: 'One' }], ...options },
    { splitMode: 'ranges', splitPoints: [1, '0:02'], ...options },
    { splitMode: 'parts', parts: 2, overlap: 1, trim: { start: 1, end: 90 }, ...options },
  ];
  assert.equal(new Set(accepted.map(({ splitMode }) => splitMode)).size, 6);
});

test('a field that the mode needs is not optional, and one that does not go with it is refused', () => {
  const refused: SplitRequest[] = [];
  // @ts-expect-error no source
  refused.push({ splitMode: 'silence' });
  // @ts-expect-error no mode
  refused.push({ sourceUrl, segmentDuration: 60 });
  // @ts-expect-error no length
  refused.push({ sourceUrl, splitMode: 'duration' });
  // @ts-expect-error no size
  refused.push({ sourceUrl, splitMode: 'fileSize' });
  // @ts-expect-error no number
  refused.push({ sourceUrl, splitMode: 'parts' });
  // @ts-expect-error a mode that does not exist
  refused.push({ sourceUrl, splitMode: 'thirds' });
  // @ts-expect-error a field that does not exist
  refused.push({ sourceUrl, splitMode: 'parts', parts: 2, pieces: 3 });
  // @ts-expect-error a field of `duration`
  refused.push({ sourceUrl, splitMode: 'parts', parts: 2, segmentDuration: 60 });
  // @ts-expect-error a field of `parts`
  refused.push({ sourceUrl, splitMode: 'duration', segmentDuration: 60, parts: 2 });
  // @ts-expect-error a field of `silence`
  refused.push({ sourceUrl, splitMode: 'chapters', silence: { minSilence: 1 } });
  // @ts-expect-error a field of `chapters`
  refused.push({ sourceUrl, splitMode: 'silence', chapters: [{ startTime: 0 }] });
  // @ts-expect-error fields of `ranges`
  refused.push({ sourceUrl, splitMode: 'fileSize', maxFileSize: 100_000, ranges: [{ start: 0 }] });
  // @ts-expect-error fields of `ranges`
  refused.push({ sourceUrl, splitMode: 'parts', parts: 2, splitPoints: [1] });
  // @ts-expect-error ranges say what of the source is used
  refused.push({ sourceUrl, splitMode: 'ranges', ranges: [{ start: 0 }], trim: { start: 1 } });
  // @ts-expect-error ranges may overlap by themselves
  refused.push({ sourceUrl, splitMode: 'ranges', splitPoints: [1], overlap: 1 });
  // @ts-expect-error chapters do not overlap
  refused.push({ sourceUrl, splitMode: 'chapters', overlap: 1 });
  // @ts-expect-error a value of another type
  refused.push({ sourceUrl, splitMode: 'duration', segmentDuration: '60' });
  assert.ok(refused.every((body) => Object.keys(body).length > 0));
});
