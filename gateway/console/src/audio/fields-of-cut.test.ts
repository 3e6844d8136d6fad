import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cut } from './cut.ts';
import { fieldsOf, fieldsOfSegments } from './fields-of-cut.ts';
import { readFields } from './split-fields.ts';

const CUTS: readonly Cut[] = [
  { splitMode: 'duration', segmentDuration: 450, overlap: 1.5, trim: { start: 15, end: 3_510.25 } },
  { splitMode: 'fileSize', maxFileSize: 24_500_000, maxDuration: 21.6, snapToSilence: { window: 5 } },
  { splitMode: 'silence', silence: { minSilence: 0.7 }, maxFileSize: 25_000_000, preset: 'speech' },
  {
    splitMode: 'chapters',
    chapters: [{ startTime: 0, title: 'Welcome' }, { startTime: 750.5 }],
    dryRun: true,
  },
  { splitMode: 'chapters' },
  {
    splitMode: 'silence',
    silence: { minSilence: 2, minDuration: 300, threshold: -40 },
    maxDuration: 7_200,
    snapToSilence: { window: 30, minSilence: 0.3 },
    encoding: { channels: 1, loudness: { target: -16 } },
    audioTrack: 'eng',
  },
  { splitMode: 'parts', parts: 11, fileName: '{name} {number}' },
  { splitMode: 'ranges', ranges: [{ start: 60, end: 150, title: "It's here" }, { start: 300 }] },
  { splitMode: 'ranges', splitPoints: [0.5, 90] },
];

test('settings without a form field are kept for the mode that accepts them', () => {
  const fields = fieldsOf({ splitMode: 'silence', silence: { minDuration: 300 } }, undefined);
  assert.deepEqual(readFields({ ...fields, texts: { silence: '1' } }).request?.cut, {
    splitMode: 'silence',
    silence: { minDuration: 300, minSilence: 1 },
  });
  const { cut } = readFields({ ...fields, mode: 'parts' }).request ?? {};
  assert.deepEqual(cut, { splitMode: 'parts', parts: 4 });
});

test('the settings of a job fill the form, and produce the same request', () => {
  for (const cut of CUTS) {
    assert.deepEqual(readFields(fieldsOf(cut, 'flac')).request, { cut, format: 'flac' });
  }
  assert.equal(readFields(fieldsOf({ splitMode: 'parts', parts: 3 }, undefined)).request?.format, undefined);
});

test('segments of a dry run become ranges: caps, names and encoding stay, the search for cuts is not repeated', () => {
  const dryRun: Cut = {
    splitMode: 'fileSize',
    maxFileSize: 24_500_000,
    maxDuration: 600,
    snapToSilence: { window: 5 },
    overlap: 1,
    trim: { start: 15 },
    fileName: '{name} {number}',
    encoding: { channels: 1 },
    dryRun: true,
  };
  const segments = [
    { startTime: 15, endTime: 70.5 },
    { startTime: 69.5, endTime: 120, title: 'Questions' },
  ];
  assert.deepEqual(readFields(fieldsOfSegments(dryRun, 'mp3', segments, 120)).request, {
    cut: {
      splitMode: 'ranges',
      ranges: [
        { start: 15, end: 70.5 },
        { start: 69.5, title: 'Questions' },
      ],
      maxDuration: 600,
      maxFileSize: 24_500_000,
      fileName: '{name} {number}',
      encoding: { channels: 1 },
    },
    format: 'mp3',
  });
});
