import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSourceHeaders, takesHeaders, withoutValues } from './source-headers.ts';

test('headers are typed one per line', () => {
  assert.deepEqual(readSourceHeaders(' \n').value, {});
  const { value = {} } = readSourceHeaders('Authorization: Bearer my-token\r\n\n X-Trace:a: b \n');
  assert.deepEqual(value, { Authorization: 'Bearer my-token', 'X-Trace': 'a: b' });
  assert.deepEqual(withoutValues(value), { Authorization: '…', 'X-Trace': '…' });
});

test('an error does not repeat the value', () => {
  for (const text of ['my-token', 'Authorization:', 'Bad name: my-token', 'A: my-token\na: my-token']) {
    const { problem = '' } = readSourceHeaders(text);
    assert.ok(problem !== '' && !problem.includes('my-token'), text);
  }
});

test('a link on the web accepts headers, an object in a bucket does not', () => {
  assert.equal(takesHeaders('https://example.com/s3://a.mp3'), true);
  assert.equal(takesHeaders('s3://archive/a.mp3'), false);
});
