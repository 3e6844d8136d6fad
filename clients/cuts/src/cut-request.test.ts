/** What the types refuse, `readCuts` refuses as well. The type checker reports a `@ts-expect-error` without an error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidCutsError } from './invalid-cuts.ts';
import { type Cuts, readCuts } from './read-cuts.ts';

function refused(cuts: Cuts): void {
  assert.throws(() => readCuts(cuts), InvalidCutsError, JSON.stringify(cuts));
}

// Covers C-3.3 C-6.2
test('each mode accepts its own fields, and the options of every mode', () => {
  const options = {
    maxDuration: 60,
    maxFileSize: 100_000,
    audioTrack: 'eng',
    preset: 'speech',
    fileName: '{title}',
  } as const;
  const accepted: readonly Cuts[] = [
    { splitMode: 'duration', segmentDuration: 60, overlap: 1, trim: { start: '0:10' }, ...options },
    { splitMode: 'fileSize', overlap: 1, trim: { end: 20 }, ...options },
    { splitMode: 'silence', silence: { threshold: 'auto' }, overlap: 1, trim: { start: 1 }, ...options },
    { splitMode: 'chapters', chapters: [{ startTime: '0:01' }], trim: { start: 1 }, ...options },
    { splitMode: 'ranges', ranges: [{ start: 1, end: '0:02', title: 'One' }], ...options },
    { splitMode: 'ranges', splitPoints: [1, '0:02'], ...options },
    { splitMode: 'parts', parts: 2, overlap: 1, trim: { start: 1, end: 90 }, ...options },
  ];
  for (const cuts of accepted) assert.equal(readCuts(cuts).request.splitMode, cuts.splitMode);
});

// Covers C-2.1 C-2.4 C-2.30 C-2.35
test('a field that the mode needs is not optional', () => {
  // @ts-expect-error no length
  refused({ splitMode: 'duration' });
  // @ts-expect-error no size
  refused({ splitMode: 'fileSize' });
  // @ts-expect-error no number
  refused({ splitMode: 'parts' });
  // @ts-expect-error neither ranges nor points
  refused({ splitMode: 'ranges' });
  // @ts-expect-error no mode
  refused({ segmentDuration: 60 });
});

// Covers C-1.3 C-2.30 C-5.7 C-6.2
test('a field that does not go with the mode is refused', () => {
  // @ts-expect-error a mode that does not exist
  refused({ splitMode: 'thirds' });
  // @ts-expect-error a field that does not exist
  refused({ splitMode: 'parts', parts: 2, pieces: 3 });
  // @ts-expect-error a field of `duration`
  refused({ splitMode: 'parts', parts: 2, segmentDuration: 60 });
  // @ts-expect-error a field of `parts`
  refused({ splitMode: 'duration', segmentDuration: 60, parts: 2 });
  // @ts-expect-error a field of `silence`
  refused({ splitMode: 'chapters', silence: { minSilence: 1 } });
  // @ts-expect-error a field of `chapters`
  refused({ splitMode: 'silence', chapters: [{ startTime: 0 }] });
  // @ts-expect-error a field of `ranges`
  refused({ splitMode: 'fileSize', maxFileSize: 100_000, ranges: [{ start: 0 }] });
  // @ts-expect-error one of both
  refused({ splitMode: 'ranges', ranges: [{ start: 0 }], splitPoints: [1] });
  // @ts-expect-error ranges say what of the source is used
  refused({ splitMode: 'ranges', ranges: [{ start: 0 }], trim: { start: 1 } });
  // @ts-expect-error ranges may overlap by themselves
  refused({ splitMode: 'ranges', splitPoints: [1], overlap: 1 });
  // @ts-expect-error chapters do not overlap
  refused({ splitMode: 'chapters', overlap: 1 });
});
