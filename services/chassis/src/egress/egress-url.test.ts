import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressError } from './egress.ts';
import { parseEgressUrl } from './egress-url.ts';

const isInvalidUrl = (error: unknown) => error instanceof EgressError && error.failure === 'invalid-url';

test('anything except a plain http or https URL is rejected', () => {
  for (const url of [
    '',
    'a.mp3',
    '/a.mp3',
    '//example.com/a.mp3',
    'http://',
    'http://./',
    'http://exa mple.com/',
    'http://[fe80::1%25eth0]/',
    'http://256.1.1.1/',
    'http://1.2.3.4.5/',
    'http://example.com:65536/',
    'ftp://example.com/a.mp3',
    'file:///etc/passwd',
    'data:audio/mpeg;base64,AAAA',
    'blob:http://example.com/1',
    'gopher://example.com/',
    'ws://example.com/',
    'javascript:alert(1)',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://:password@example.com/',
    'http://public.test@127.0.0.1/',
    'http://example.com:0/',
    'http://example.com:22/',
    'http://example.com:25/',
    'http://example.com:6667/',
    'https://example.com:10080/',
  ]) {
    assert.throws(() => parseEgressUrl(url), isInvalidUrl, url);
  }
});

test('hosts are returned without brackets and root dot, ports with their default', () => {
  for (const [url, hostname, port] of [
    ['http://Example.COM/a', 'example.com', 80],
    ['https://example.com./a', 'example.com', 443],
    ['https://example.com:8443/', 'example.com', 8443],
    ['http://[2606:4700::1]:8080/', '2606:4700::1', 8080],
    ['http://0x7f.1/', '127.0.0.1', 80],
    ['http://127.0.0.1./', '127.0.0.1', 80],
    ['http://①②⑦.0.0.1/', '127.0.0.1', 80],
    ['http://xn--mnchen-3ya.test/', 'xn--mnchen-3ya.test', 80],
  ] as const) {
    const target = parseEgressUrl(url);
    assert.deepEqual([target.hostname, target.port], [hostname, port], url);
  }
});

test('a redirect target may be relative and must follow the same rules', () => {
  const base = new URL('https://example.com/a/b');
  assert.equal(parseEgressUrl('../c', base).url.href, 'https://example.com/c');
  assert.equal(parseEgressUrl('//other.test/c', base).url.href, 'https://other.test/c');
  assert.throws(() => parseEgressUrl('file:///etc/passwd', base), isInvalidUrl);
  assert.throws(() => parseEgressUrl('//x@other.test/', base), isInvalidUrl);
});
