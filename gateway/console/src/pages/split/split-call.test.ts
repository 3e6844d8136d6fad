import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChosenSource } from '../../audio/chosen-source.ts';
import { SentFile } from '../../format/curl-command.ts';
import { splitCall } from './split-call.ts';

const settings = { splitMode: 'parts', parts: 3 };
const ofOneJob = {
  sourceHeaders: { Authorization: '…' },
  destination: { connection: 'archive' },
  keepCopy: false,
};
const link = (name: string): ChosenSource => ({ kind: 'url', url: `https://example.com/${name}` });
const file = (name: string): ChosenSource => ({ kind: 'file', file: new File(['abc'], name) });

describe('the call of a split', () => {
  test('is that of its link, or of its file, which is uploaded first', () => {
    const { path, body } = splitCall(link('a'), settings);
    assert.deepEqual([path, body], ['/api/v1/splits', { sourceUrl: 'https://example.com/a', ...settings }]);
    assert.deepEqual(splitCall(link('a'), settings, ofOneJob).body, {
      sourceUrl: 'https://example.com/a',
      ...settings,
      ...ofOneJob,
    });
    assert.deepEqual(splitCall(file('a.mp3'), settings).body, {
      sourceUrl: new SentFile('a.mp3'),
      ...settings,
    });
    assert.deepEqual(splitCall(undefined, undefined).body, { sourceUrl: 'https://…' });
  });

  test('of a batch has all its sources, in their order', () => {
    const sources = [file('a.mp3'), link('b'), file('c.mp3')];
    const { path, body } = splitCall({ kind: 'batch', sources }, settings, ofOneJob);
    assert.deepEqual(
      [path, body],
      [
        '/api/v1/batches',
        { sources: [new SentFile('a.mp3'), 'https://example.com/b', new SentFile('c.mp3')], settings },
      ],
    );
  });
});
