import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { SplitRequestSchema } from '@audiosplit/proto/jobs/v1/jobs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CUT_FIELD_NAMES, type CutFields, fromCutFields, toCutFields } from './cut.ts';
import { readCut, toPreviousCut } from './previous-cut.ts';

const CUTS: readonly CutFields[] = [
  { splitMode: 'duration', segmentDuration: 86_400 },
  { splitMode: 'fileSize', maxFileSize: 2_147_483_648 },
];

test('a cut has the fields of the API', () => {
  assert.deepEqual(CUT_FIELD_NAMES, ['segmentDuration', 'maxFileSize']);
  for (const fields of CUTS) assert.deepEqual(toCutFields(fromCutFields(fields)), fields);
  assert.throws(() => fromCutFields({ splitMode: 'duration', maxFileSize: 1 }));
});

test('a cut of a newer version has no fields', () => {
  const newer = fromBinary(CutSchema, Uint8Array.of(0x9a, 0x06, 0x00));
  assert.equal(toCutFields(newer), undefined);
  assert.deepEqual(readCut({ ...toPreviousCut(newer) }), undefined);
});

test('an older release reads the cut of this one, and this one that of the older', () => {
  for (const fields of CUTS) {
    const cut = fromCutFields(fields);
    const previous = create(SplitRequestSchema, toPreviousCut(cut));
    assert.deepEqual(readCut(fromBinary(SplitRequestSchema, toBinary(SplitRequestSchema, previous))), cut);
    assert.equal(readCut({ ...previous, cut }), cut);
  }
});
