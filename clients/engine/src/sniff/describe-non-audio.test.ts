import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeNonAudio } from './describe-non-audio.ts';

const described = (text: string) => describeNonAudio(Buffer.from(text));

test('a web page is named as one, with its title', () => {
  for (const [page, title] of [
    ['<!DOCTYPE html><html><head><title>Sign in</title>', 'Sign in'],
    ['\ufeff\n <html>\n<title lang="de">\n  Caf&eacute; &amp; Kuchen\n</title>', 'Caf&eacute; & Kuchen'],
    ['<!-- served by x -->\n<!doctype html><TITLE>It&#39;s &#x201c;here&#x201d;</TITLE>', "It's “here”"],
    ['<script>1</script><title>a\u0000\u202eb</title>', 'a b'],
    [`<html><title>${'x'.repeat(200)}</title>`, `${'x'.repeat(119)}…`],
  ] as const) {
    assert.equal(described(page), `The source is a web page (“${title}”), not an audio file.`);
  }
});

test('a web page without a title is named as one', () => {
  for (const page of [
    '<html>',
    '<!doctype html><title> </title>',
    '<head><title>never ends',
    '<meta charset="utf-8">',
  ]) {
    assert.equal(described(page), 'The source is a web page, not an audio file.');
  }
});

test('an XML comment alone does not make a web page', () => {
  assert.match(described('<!-- a comment --><rss>'), /^The source is an XML document/);
});
