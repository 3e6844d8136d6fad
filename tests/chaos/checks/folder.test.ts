import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { FolderContent } from '@audiosplit/chassis/testing/s3-folder';
import { flawsOfFolder } from './folder.ts';

const segments = ['talk-0.mp3', 'talk-1.mp3'].map((fileName) => ({
  fileName,
  location: `s3://callers/acc_1/job_1/${fileName}`,
}));
const bytes = ['the first', 'the second'].map((text) => Buffer.from(text));
const reference = bytes.map((each) => createHash('sha256').update(each).digest('hex'));
const manifest = Buffer.from(JSON.stringify({ segments }));
const names = ['talk-0.mp3', 'talk-1.mp3', 'manifest.json'];
const whole = new Map([...bytes, manifest].map((each, n) => [names[n] ?? '', each]));

const flawsWith = (change: Partial<FolderContent>) =>
  flawsOfFolder({ objects: whole, unfinished: [], ...change }, { segments, reference });
const withObject = (name: string, text: string) =>
  flawsWith({ objects: new Map([...whole, [name, Buffer.from(text)]]) });

test('a folder with exactly the set of a completed job is correct', () => {
  assert.deepEqual(flawsWith({}), []);
});

test('a missing segment or manifest is found', () => {
  for (const name of whole.keys()) {
    const objects = new Map([...whole].filter(([each]) => each !== name));
    assert.deepEqual(flawsWith({ objects }), [`${name} is not in its bucket`]);
  }
});

test('an object of another set, and an unfinished one, are found', () => {
  assert.deepEqual(withObject('talk-2.mp3', 'more'), ['talk-2.mp3 is left in its bucket']);
  assert.deepEqual(flawsWith({ unfinished: ['acc_1/job_1/talk-0.mp3'] }), [
    'acc_1/job_1/talk-0.mp3 is begun in its bucket, and not complete',
  ]);
});

test('a different segment, and a manifest of another set, are found', () => {
  assert.deepEqual(withObject('talk-1.mp3', 'half of it'), [
    'talk-1.mp3 in its bucket differs from that of a job without faults',
  ]);
  const other = JSON.stringify({ segments: segments.slice(1) });
  assert.deepEqual(withObject('manifest.json', other), [
    'its manifest.json lists other segments than the job',
  ]);
});

test('a failed job leaves nothing', () => {
  assert.deepEqual(flawsOfFolder({ objects: new Map(), unfinished: [] }), []);
  assert.deepEqual(flawsOfFolder({ objects: new Map([['manifest.json', manifest]]), unfinished: [] }), [
    'manifest.json is left in its bucket',
  ]);
});
