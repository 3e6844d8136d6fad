import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTracks } from './describe-tracks.ts';

test('consecutive tracks of one language are one entry', () => {
  assert.equal(describeTracks(['eng']), '0 (eng)');
  const languages = ['eng', 'eng', undefined, 'ger', 'eng'];
  assert.equal(describeTracks(languages), '0 to 1 (eng), 2 (no language), 3 (ger), 4 (eng)');
});

test('the text is one short line, whatever a source states', () => {
  const many = Array.from({ length: 1_000_000 }, (_, index) =>
    index % 2 === 0 ? 'a'.repeat(1_000) : 'b\0\n',
  );
  const text = describeTracks(many);
  assert.match(text, /^0 \(a{35}\), 1 \(b\), .*, 49 \(b\), and 999950 more$/);
  assert.equal(describeTracks([' \u202e']), '0 (no language)');
});
