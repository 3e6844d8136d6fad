import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLoudness, describeSegment, haveVariousEnds } from './segment-words.ts';

const segment = { fileName: 'talk-1.mp3', startTime: 60 };

test('a segment shows its file name, and the reason for its end', () => {
  assert.equal(describeSegment({ ...segment, cut: 'silence' }, true), 'ends in a silence · talk-1.mp3');
  assert.equal(
    describeSegment({ ...segment, cut: 'quietest' }, true),
    'ends at the quietest spot · talk-1.mp3',
  );
  assert.equal(describeSegment({ ...segment, cut: 'end' }, true), 'goes to the end · talk-1.mp3');
  assert.equal(
    describeSegment({ ...segment, cut: 'exact', contentStart: 61.5 }, true),
    'ends at a set point · begins 1.5 s before its cut · talk-1.mp3',
  );
});

test('a segment in a bucket shows its location, which ends with its file name', () => {
  const location = 's3://audio/job_1/talk-1.mp3';
  assert.equal(describeSegment({ ...segment, cut: 'end', location }, true), `goes to the end · ${location}`);
});

test('ends are omitted if all are as requested', () => {
  assert.equal(haveVariousEnds([{ cut: 'exact' }, {}, { cut: 'end' }]), false);
  assert.equal(haveVariousEnds([{ cut: 'exact' }, { cut: 'silence' }, { cut: 'end' }]), true);
  assert.equal(describeSegment({ ...segment, cut: 'exact' }, false), 'talk-1.mp3');
});

test('values that are unknown or from a newer service are omitted', () => {
  assert.equal(describeSegment(segment, true), 'talk-1.mp3');
  assert.equal(describeSegment({ ...segment, cut: 'applause', contentStart: 60 }, true), 'talk-1.mp3');
});

test('loudness shows the measured value and the change', () => {
  assert.equal(
    describeLoudness({ measured: -23.14, gain: 7.14, truePeak: -1.02 }),
    'Loudness: −23.1 LUFS as it came, +7.1 dB for all segments, true peak −1 dBTP.',
  );
  assert.match(describeLoudness({ measured: -9, gain: -7, truePeak: null }), /, −7 dB for all segments\.$/);
  assert.match(describeLoudness({ measured: null, gain: 0, truePeak: null }), /is silent/);
});
