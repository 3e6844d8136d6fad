import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { CONSOLE_HEADER, requireSameOrigin } from './same-origin.ts';

const PUBLIC = 'https://audio.example';
const own: IncomingHttpHeaders = {
  host: 'audio.example',
  origin: PUBLIC,
  'sec-fetch-site': 'same-origin',
  [CONSOLE_HEADER]: '1',
};
const check = (method: string, headers: IncomingHttpHeaders) => () =>
  requireSameOrigin({ method, headers: { ...own, ...headers } }, PUBLIC);

test('the page itself may read and change', () => {
  assert.doesNotThrow(check('GET', {}));
  assert.doesNotThrow(check('POST', {}));
});

test('a page opened under another name of this machine may read and change too', () => {
  assert.doesNotThrow(check('POST', { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }));
});

test('behind a proxy that changes Host, the public address counts', () => {
  assert.doesNotThrow(check('POST', { host: 'gateway.internal:8080' }));
});

test('other sites, other origins of this site and plain forms are rejected', () => {
  const refused = { name: 'ApiError', code: 'INVALID_PARAMS' };
  assert.throws(check('POST', { 'sec-fetch-site': 'cross-site' }), refused);
  assert.throws(check('GET', { 'sec-fetch-site': 'same-site' }), refused);
  assert.throws(check('POST', { origin: 'https://evil.audio.example' }), refused);
  assert.throws(check('POST', { origin: 'null' }), refused);
  assert.throws(check('POST', { [CONSOLE_HEADER]: undefined }), refused);
});
