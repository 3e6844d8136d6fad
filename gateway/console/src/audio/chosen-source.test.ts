import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ChosenSource, chosenOf, filesOf, linksText, nameOf, readLinks } from './chosen-source.ts';

const url = (name: string): ChosenSource => ({ kind: 'url', url: `https://example.com/${name}` });
const file = (name: string): ChosenSource => ({ kind: 'file', file: new File(['abc'], name) });

describe('the chosen source', () => {
  test('one line is a link, several are a batch, and empty lines are ignored', () => {
    assert.deepEqual(chosenOf(readLinks(' https://example.com/a \n\n')), url('a'));
    const text = 'https://example.com/a\r\n\nhttps://example.com/b\n';
    assert.deepEqual(chosenOf(readLinks(text)), { kind: 'batch', sources: [url('a'), url('b')] });
    assert.equal(chosenOf(readLinks(' \n')), undefined);
  });

  test('links are shown as they were typed', () => {
    const typed = 'https://example.com/a\nhttps://example.com/b';
    assert.equal(linksText(chosenOf(readLinks(typed))), typed);
    assert.equal(linksText(file('a.mp3')), '');
    assert.equal(linksText(undefined), '');
  });

  test('a batch is named by its number of sources', () => {
    assert.equal(nameOf({ kind: 'batch', sources: [file('a'), file('b')] }), '2 files');
    assert.equal(nameOf({ kind: 'batch', sources: Array(1_000).fill(url('a')) }), '1,000 links');
    assert.equal(nameOf(file('a.mp3')), 'a.mp3');
  });

  test('only the files of a batch are uploaded', () => {
    const names = (sources: readonly ChosenSource[]) =>
      filesOf({ kind: 'batch', sources }).map(({ name }) => name);
    assert.deepEqual(names([file('a'), url('b'), file('c')]), ['a', 'c']);
    assert.deepEqual(filesOf(url('a')), []);
  });
});
