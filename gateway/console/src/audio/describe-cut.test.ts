import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cut } from './cut.ts';
import { describeCut } from './describe-cut.ts';

const check = (cut: Cut, words: string) => assert.equal(describeCut(cut), words);

test('every mode is described, also if only its plain numbers are known', () => {
  check({ splitMode: 'duration', segmentDuration: 600 }, 'every 10 min');
  check({ splitMode: 'fileSize', maxFileSize: 25e6 }, 'up to 25 MB each');
  check({ splitMode: 'silence' }, 'at silences');
  check({ splitMode: 'silence', silence: { minSilence: 0.7 } }, 'at silences of 0.7 s or more');
  check({ splitMode: 'chapters' }, 'by chapters');
  check({ splitMode: 'chapters', chapters: [{ startTime: 0 }, { startTime: 60 }] }, 'by 2 given chapters');
  check({ splitMode: 'ranges' }, 'at given times');
  check({ splitMode: 'ranges', ranges: [{ start: 1 }] }, '1 given range');
  check({ splitMode: 'ranges', splitPoints: [60, 120] }, 'at 2 given times');
  check({ splitMode: 'parts', parts: 4 }, 'into 4 equal parts');
});

test('limits and snapping follow the mode', () => {
  const snapToSilence = { window: 10 };
  check(
    { splitMode: 'duration', segmentDuration: 600, snapToSilence, maxFileSize: 25e6 },
    'every 10 min, in silences, at most 25 MB',
  );
  check(
    { splitMode: 'chapters', maxDuration: 900, snapToSilence },
    'by chapters, at most 15 min, divided in silences',
  );
  check(
    { splitMode: 'fileSize', maxFileSize: 4_500_000, maxDuration: 1.5 },
    'up to 4.5 MB each, at most 1.5 s',
  );
  check({ splitMode: 'parts', parts: 2, maxDuration: 90.5 }, 'into 2 equal parts, at most 1:30.500');
  check({ splitMode: 'silence', silence: { keepSilence: 0.2 } }, 'at silences, silences left out');
});

test('all other options follow at the end', () => {
  check(
    {
      splitMode: 'parts',
      parts: 3,
      overlap: 1.5,
      trim: { start: 15, end: '58:30' },
      audioTrack: 1,
      preset: 'speech',
      dryRun: true,
    },
    'into 3 equal parts, 1.5 s of overlap, only from 0:15 up to 58:30, track 2, for speech recognition, dry run',
  );
  check(
    {
      splitMode: 'parts',
      parts: 2,
      audioTrack: 'eng',
      overlap: 0,
      trim: { end: 60 },
      encoding: {
        channels: 1,
        sampleRate: 22_050,
        bitrate: 64_000,
        bitDepth: 16,
        loudness: { target: -16 },
      },
    },
    'into 2 equal parts, only up to 1:00, track in “eng”, mono, 22.05 kHz, 64 kbit/s, 16 bits, at −16 LUFS',
  );
});
