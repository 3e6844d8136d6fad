import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentName } from './attachment-name.ts';

test('a name is parsed in each of its forms', () => {
  assert.equal(attachmentName('attachment; filename=tour-0.mp3'), 'tour-0.mp3');
  assert.equal(attachmentName('attachment; filename="day one-00.m4a"'), 'day one-00.m4a');
  assert.equal(attachmentName('attachment; filename="a \\"b\\"; c.mp3"'), 'a "b"; c.mp3');
  assert.equal(
    attachmentName(`attachment; filename="caf?-0.mp3"; filename*=UTF-8''caf%C3%A9-0.mp3`),
    'café-0.mp3',
  );
});

test('a broken extended form falls back to the plain one', () => {
  assert.equal(attachmentName(`attachment; filename="a.mp3"; filename*=UTF-8''%E9.mp3`), 'a.mp3');
});

test('a name that could leave the folder, or is not a name, is rejected', () => {
  for (const header of [
    null,
    'attachment',
    'attachment; filename=""',
    'attachment; filename="../a.mp3"',
    'attachment; filename="a/b.mp3"',
    'attachment; filename="a\\\\b.mp3"',
    'attachment; filename=".bashrc"',
    `attachment; filename*=UTF-8''..%2Fa.mp3`,
    `attachment; filename*=UTF-8''a%00.mp3`,
    `attachment; filename="${'a'.repeat(256)}"`,
  ]) {
    assert.equal(attachmentName(header), undefined, String(header));
  }
});
