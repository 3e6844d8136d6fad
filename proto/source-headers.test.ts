import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfSourceHeaders, toSourceHeaders } from './source-headers.ts';

test('source headers are 10 at most, and 8 KiB together', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']));
  assert.equal(faultOfSourceHeaders({}), undefined);
  assert.equal(faultOfSourceHeaders(many(10)), undefined);
  assert.equal(faultOfSourceHeaders(many(11)), 'must be at most 10 headers');
  assert.equal(faultOfSourceHeaders({ cookie: 'v'.repeat(8_186) }), undefined);
  assert.equal(faultOfSourceHeaders({ cookie: 'v'.repeat(8_187) }), 'must not exceed 8192 bytes');
});

test('Host, Range and headers of the connection are not source headers', () => {
  for (const name of ['Host', 'RANGE', 'if-range', 'Connection', 'Transfer-Encoding', 'te', 'Upgrade']) {
    assert.equal(faultOfSourceHeaders({ [name]: 'v' }), `must not set ${name.toLowerCase()}`);
  }
  assert.equal(faultOfSourceHeaders({ a: 'v', A: 'v' }), 'must not set a twice');
});

test('a header that HTTP does not allow is rejected, and its value is not repeated', () => {
  for (const name of ['', 'a b', 'a:b', 'é', 'a\r\n']) {
    assert.match(faultOfSourceHeaders({ [name]: 'v' }) ?? '', /names that HTTP allows/);
  }
  for (const value of ['', ' v', 'v ', 'secret\r\nhost: x', 'secret\u0000', 'sécret']) {
    const fault = faultOfSourceHeaders({ authorization: value }) ?? '';
    assert.match(fault, /^must have a value of printable ASCII/);
    assert.doesNotMatch(fault, /cret/);
  }
});

test('names are stored in lower case', () => {
  assert.deepEqual(toSourceHeaders({ Authorization: 'Bearer A' }), { authorization: 'Bearer A' });
});
