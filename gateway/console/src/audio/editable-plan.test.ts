import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cut } from './cut.ts';
import { legendOf, marksOf } from './cut-marks.ts';
import { editablePlan, isFoundInSound } from './editable-plan.ts';
import { planSplit } from './plan.ts';

function editableOf(cut: Cut) {
  const source = { seconds: 300, bytes: undefined, name: 'talk.wav' };
  const { plan } = planSplit(source, { cut, format: undefined });
  return editablePlan(plan ?? assert.fail('there is a plan'));
}

test('a plan that follows from the request can be edited with its overlap and its titles', () => {
  const withOverlap = editableOf({ splitMode: 'duration', segmentDuration: 100, overlap: 2 });
  assert.deepEqual(
    withOverlap?.map(({ start, end }) => [start, end]),
    [
      [0, 100],
      [98, 200],
      [198, 300],
    ],
  );
  const chapters = [{ startTime: 0, title: 'Welcome' }, { startTime: '1:40' }];
  assert.deepEqual(
    editableOf({ splitMode: 'chapters', chapters })?.map(({ title }) => title),
    ['Welcome', undefined],
  );
  assert.equal(editableOf({ splitMode: 'duration', segmentDuration: 600 }), undefined);
});

test('a dry run is offered if the cuts depend on the sound or the file', () => {
  assert.ok(isFoundInSound({ splitMode: 'silence' }));
  assert.ok(isFoundInSound({ splitMode: 'chapters' }));
  assert.ok(isFoundInSound({ splitMode: 'parts', parts: 3, snapToSilence: { window: 5 } }));
  assert.ok(!isFoundInSound({ splitMode: 'silence', dryRun: true }));
  assert.ok(!isFoundInSound({ splitMode: 'chapters', chapters: [{ startTime: 0 }] }));
});

test('cuts from the sound or the file are marked, and a legend explains the marks in use', () => {
  const marks = marksOf([
    { endTime: 60, cut: 'silence' },
    { endTime: 90, cut: 'exact' },
    { endTime: 120, cut: 'end' },
  ]);
  assert.deepEqual(marks, [{ seconds: 60, kind: 'silence' }]);
  assert.equal(legendOf(marks), '● in a silence.');
  assert.equal(legendOf([]), '');
});
