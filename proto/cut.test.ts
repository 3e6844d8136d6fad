import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { SplitRequestSchema } from '@audiosplit/proto/jobs/v1/jobs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CUT_FIELD_NAMES,
  type CutFields,
  type CutRequest,
  fromCutFields,
  isPlainCut,
  toCutFields,
  toCutRequest,
} from './cut.ts';
import { readCut, toPreviousCut } from './previous-cut.ts';

const CUTS: readonly CutFields[] = [
  { splitMode: 'duration', segmentDuration: 86_400 },
  { splitMode: 'fileSize', maxFileSize: 2_147_483_648 },
];

/** Values that equal a default are kept, as the caller gave them. */
const WITH_OPTIONS: readonly CutFields[] = [
  { splitMode: 'duration', segmentDuration: 60, maxFileSize: 65_536, trim: { start: 0 }, overlap: 0 },
  { splitMode: 'fileSize', maxFileSize: 65_536, maxDuration: 1.5, audioTrack: 0, dryRun: false },
  { splitMode: 'silence' },
  { splitMode: 'silence', silence: { threshold: 'auto', minSilence: 0.5, minDuration: 0 } },
  {
    splitMode: 'chapters',
    chapters: [
      { startTime: 0, title: '' },
      { startTime: 12.5, toc: false, location: { name: 'Rome' } },
    ],
  },
  {
    splitMode: 'ranges',
    ranges: [
      { start: 0, end: 10 },
      { start: 5, title: 'x' },
    ],
  },
  { splitMode: 'ranges', splitPoints: [0.001, 1_000_000], audioTrack: 'eng' },
  {
    splitMode: 'parts',
    parts: 2,
    snapToSilence: { window: 10, threshold: -40 },
    encoding: { sampleRate: 16_000, channels: 1, loudness: { target: -16 } },
    preset: 'speech',
    fileName: '{number}',
  },
];

test('only a cut of the first two modes is plain', () => {
  const isPlain = (fields: CutFields) => isPlainCut(toCutRequest(fromCutFields(fields)) as CutRequest);
  assert.deepEqual(CUTS.map(isPlain), [true, true]);
  assert.deepEqual(
    WITH_OPTIONS.map(isPlain),
    WITH_OPTIONS.map(() => false),
  );
});

test('a cut has the fields of the API', () => {
  for (const fields of [...CUTS, ...WITH_OPTIONS]) {
    assert.deepEqual(toCutFields(fromCutFields(fields)), fields);
    for (const name of Object.keys(fields)) {
      assert.ok(name === 'splitMode' || CUT_FIELD_NAMES.includes(name), name);
    }
  }
  assert.throws(() => fromCutFields({ splitMode: 'fileSize', segmentDuration: 1 }));
});

test('a cut of a newer version has no fields', () => {
  const newer = fromBinary(CutSchema, Uint8Array.of(0x9a, 0x06, 0x00));
  assert.equal(toCutFields(newer), undefined);
  assert.deepEqual(readCut({ ...toPreviousCut(newer) }), undefined);
});

test('an older release reads cuts of this release, and this release reads cuts of an older one', () => {
  for (const fields of CUTS) {
    const cut = fromCutFields(fields);
    const previous = create(SplitRequestSchema, toPreviousCut(cut));
    assert.deepEqual(readCut(fromBinary(SplitRequestSchema, toBinary(SplitRequestSchema, previous))), cut);
    assert.equal(readCut({ ...previous, cut }), cut);
  }
});
