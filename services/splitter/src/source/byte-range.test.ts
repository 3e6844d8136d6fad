import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseContentLength, parseContentRange, resumeValidator } from './byte-range.ts';

test('parses Content-Range', () => {
  assert.deepEqual(parseContentRange('bytes 0-0/1234'), { first: 0, last: 0, total: 1234 });
  assert.deepEqual(parseContentRange(' Bytes 5-9/* '), { first: 5, last: 9 });
  for (const value of [
    undefined,
    '',
    'bytes */1234',
    'bytes 5-4/10',
    'bytes 0-10/10',
    'bytes 0-/10',
    'bytes -5-9/10',
    'items 0-9/10',
    'bytes 0-9/99999999999999999999',
    'bytes 0-1/2, bytes 0-1/2',
  ]) {
    assert.equal(parseContentRange(value), undefined, String(value));
  }
});

test('parses Content-Length', () => {
  assert.equal(parseContentLength('0'), 0);
  assert.equal(parseContentLength('2147483648'), 2147483648);
  for (const value of [undefined, '', '-1', '1.5', '0x10', '1e3', '5, 5', '99999999999999999999']) {
    assert.equal(parseContentLength(value), undefined, String(value));
  }
});

test('only a strong validator with byte ranges makes a source resumable', () => {
  const ranges = { 'accept-ranges': 'bytes' };
  const modified = { 'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT' };
  const later = { date: 'Fri, 20 Nov 2026 10:00:01 GMT' };
  assert.equal(resumeValidator({ ...ranges, etag: '"a"' }), '"a"');
  assert.equal(resumeValidator({ ...ranges, ...modified, ...later }), modified['last-modified']);
  assert.equal(
    resumeValidator({ ...ranges, ...modified, ...later, etag: 'W/"a"' }),
    modified['last-modified'],
  );
  for (const headers of [
    { etag: '"a"' },
    { 'accept-ranges': 'none', etag: '"a"' },
    { ...ranges, etag: 'W/"a"' },
    { ...ranges, etag: 'unquoted' },
    { ...ranges, ...modified },
    { ...ranges, ...modified, date: modified['last-modified'] },
    { ...ranges, 'last-modified': 'yesterday', ...later },
    ranges,
  ]) {
    assert.equal(resumeValidator(headers), undefined, JSON.stringify(headers));
  }
});
