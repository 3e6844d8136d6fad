import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EgressPolicy } from './egress.ts';
import { EgressPolicyError, parseEgressPolicy } from './egress-policy.ts';

const rulesOf = (policy: Partial<EgressPolicy>) =>
  parseEgressPolicy({ allowCidrs: [], allowUrlPrefixes: [], ...policy });

test('a malformed block is rejected, and the error names it', () => {
  for (const cidr of [
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    '10.0.0.0/255.0.0.0',
    '10/8',
    '0x0a.0.0.0/8',
    '10.0.0.1/8',
    'fd00::/129',
    'fd00::1/64',
    'fe80::%eth0/64',
    'example.com/8',
    '*',
  ]) {
    assert.throws(() => rulesOf({ allowCidrs: [cidr] }), EgressPolicyError, cidr);
  }
});

test('a block allows exactly its own addresses, in its own address family', () => {
  const rules = rulesOf({ allowCidrs: ['127.0.0.0/8', '10.1.0.0/16', 'fd00:1::/32', '192.168.7.7/32'] });
  for (const address of ['127.0.0.1', '10.1.255.255', 'fd00:1:ffff::1', '192.168.7.7', '1.1.1.1']) {
    assert.equal(rules.isAddressAllowed(address), true, address);
  }
  for (const address of [
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::10.1.0.1',
    '2002:7f00:1::1',
    '10.2.0.0',
    'fd00:2::1',
    '192.168.7.8',
    'fd00:1::1%eth0',
    '127.1',
  ]) {
    assert.equal(rules.isAddressAllowed(address), false, address);
  }
});

test('0.0.0.0/0 allows IPv4 only', () => {
  const rules = rulesOf({ allowCidrs: ['0.0.0.0/0'] });
  assert.equal(rules.isAddressAllowed('169.254.169.254'), true);
  assert.equal(rules.isAddressAllowed('::1'), false);
});

test('plain http is allowed everywhere, or only in the allowed blocks', () => {
  const isPlainHttpAllowed = (plainHttp: EgressPolicy['plainHttp'], address: string) =>
    rulesOf({ allowCidrs: ['10.1.0.0/16'], ...(plainHttp && { plainHttp }) }).isPlainHttpAllowed(address);
  for (const anywhere of [undefined, 'anywhere'] as const) {
    assert.equal(isPlainHttpAllowed(anywhere, '1.1.1.1'), true);
    assert.equal(isPlainHttpAllowed(anywhere, '10.1.0.1'), true);
  }
  assert.equal(isPlainHttpAllowed('allowed-cidrs-only', '10.1.0.1'), true);
  for (const address of ['1.1.1.1', '2606:4700::1', '::ffff:10.1.0.1', '10.1.1', '']) {
    assert.equal(isPlainHttpAllowed('allowed-cidrs-only', address), false, address);
  }
});

test('a malformed prefix is rejected, and the error names it', () => {
  for (const prefix of [
    '',
    '127.0.0.1:8080',
    '/samples',
    'ftp://127.0.0.1/',
    'http://user@127.0.0.1/',
    'http://127.0.0.1/?a=b',
    'http://127.0.0.1/?',
    'http://127.0.0.1/#x',
    'http://127.0.0.1/a%2fb/',
  ]) {
    assert.throws(() => rulesOf({ allowUrlPrefixes: [prefix] }), EgressPolicyError, prefix);
  }
});

test('a prefix covers its own path and the paths below it, and no others', () => {
  const rules = rulesOf({ allowUrlPrefixes: ['http://127.0.0.1:8080/samples', 'https://files.test/a b/'] });
  const isAllowed = (url: string) => rules.isUrlAllowed(new URL(url));
  for (const url of [
    'http://127.0.0.1:8080/samples',
    'http://127.0.0.1:8080/samples/',
    'http://127.0.0.1:8080/samples/a.mp3?token=..%2f#x',
    'http://127.0.0.1:8080/other/../samples/a.mp3',
    'http://2130706433:8080/samples/a.mp3',
    'http://0x7f.1:8080/./samples/a.mp3',
    'http://127.0.0.1:8080/samples/caf%C3%A9%20x.mp3',
    'http://127.0.0.1:8080/samples//a.mp3',
    'HTTPS://FILES.TEST:443/a%20b/x.mp3',
  ]) {
    assert.equal(isAllowed(url), true, url);
  }
  for (const url of [
    'http://127.0.0.1:8080/',
    'http://127.0.0.1:8080/samplesX/a.mp3',
    'http://127.0.0.1:8080/samples.txt',
    'http://127.0.0.1:8080/Samples/a.mp3',
    'http://127.0.0.1:8080//samples/a.mp3',
    'http://127.0.0.1:8081/samples/a.mp3',
    'http://127.0.0.1/samples/a.mp3',
    'https://127.0.0.1:8080/samples/a.mp3',
    'http://127.0.0.2:8080/samples/a.mp3',
    'http://[::ffff:127.0.0.1]:8080/samples/a.mp3',
    'http://127.0.0.1:8080/samples/../admin',
    'http://127.0.0.1:8080/samples/%2e%2e/admin',
    'http://127.0.0.1:8080/samples/.%2E/admin',
    'http://127.0.0.1:8080/samples\\..\\admin',
    'http://127.0.0.1:8080/samples/..%2fadmin',
    'http://127.0.0.1:8080/samples/..%2Fadmin',
    'http://127.0.0.1:8080/samples/..%5cadmin',
    'http://127.0.0.1:8080/samples/%252e%252e/admin',
    'http://127.0.0.1:8080/samples/x%2e%2e/admin',
    'http://127.0.0.1:8080/samples/..;/admin',
    'http://127.0.0.1:8080/samples/.;a=b/admin',
    'http://127.0.0.1:8080/samples/a%00.mp3',
    'http://127.0.0.1:8080/samples/a%0d%0a',
    'http://127.0.0.1.evil.test:8080/samples/a.mp3',
  ]) {
    assert.equal(isAllowed(url), false, url);
  }
});
