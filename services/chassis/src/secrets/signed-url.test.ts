import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type LinkTarget, signLink, verifyLink } from './signed-url.ts';

const SECRET = 'a secret that only the installation knows';
const NOW = new Date('2026-03-01T12:00:00Z');
const IN_AN_HOUR = new Date(NOW.getTime() + 3_600_000);
const target: LinkTarget = {
  method: 'GET',
  path: '/files/jobs/a b/ü-01.mp3',
  params: { name: 'talk & more.mp3' },
};

describe('signed links', () => {
  test('a link returns its path and parameters', () => {
    const link = signLink(target, IN_AN_HOUR, SECRET);
    assert.deepEqual(verifyLink('GET', link, NOW, SECRET), {
      status: 'valid',
      path: target.path,
      params: target.params,
    });
  });

  test('a link with any path and parameters also verifies as a whole URL', () => {
    const segment = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((part) => !/^\.{1,2}$|\//.test(part));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), fc.string({ unit: 'grapheme' }), (segments, name) => {
        const path = `/${segments.join('/')}`;
        const link = signLink({ method: 'PUT', path, params: { name } }, IN_AN_HOUR, SECRET);
        const verdict = verifyLink('PUT', `https://example.test${link}`, NOW, SECRET);
        assert.deepEqual(verdict, { status: 'valid', path, params: { name } });
      }),
    );
  });

  test('a link stays valid when re-encoded or reordered', () => {
    const [path, query = ''] = signLink(target, IN_AN_HOUR, SECRET).split('?');
    const reordered = query.split('&').toReversed().join('&').replaceAll('+', '%20');
    assert.equal(verifyLink('GET', `${path}?${reordered}`, NOW, SECRET).status, 'valid');
  });

  test('a link expires at its exact second', () => {
    const link = signLink(target, IN_AN_HOUR, SECRET);
    assert.equal(verifyLink('GET', link, new Date(IN_AN_HOUR.getTime() - 1), SECRET).status, 'valid');
    assert.equal(verifyLink('GET', link, IN_AN_HOUR, SECRET).status, 'expired');
  });

  test('links under either value of a secret are valid, and new ones use the first value', () => {
    const next = 'the secret that comes next, as long as it';
    const former = signLink(target, IN_AN_HOUR, SECRET);
    for (const both of [`${SECRET}\n${next}`, `${next}\n${SECRET}`]) {
      assert.equal(verifyLink('GET', former, NOW, both).status, 'valid');
    }
    const fresh = signLink(target, IN_AN_HOUR, `${next}\n${SECRET}`);
    assert.equal(verifyLink('GET', fresh, NOW, next).status, 'valid');
    assert.equal(verifyLink('GET', fresh, NOW, SECRET).status, 'forged');
    assert.equal(verifyLink('GET', former, NOW, next).status, 'forged');
  });

  const link = signLink(target, IN_AN_HOUR, SECRET);
  const forgeries: Record<string, string> = {
    'another path': link.replace('01.mp3', '02.mp3'),
    'a later expiry': link.replace(/expires=\d+/, 'expires=9999999999'),
    'another parameter value': link.replace('talk', 'tale'),
    'an additional parameter': `${link}&admin=1`,
    'a repeated parameter': `${link}&name=x`,
    'two signatures': `${link}&signature=x`,
    'no signature': link.replace(/&signature=.*/, ''),
    'a shortened signature': link.slice(0, -4),
    'a broken percent escape': link.replace('/files', '/%E0%A4%A'),
    'nothing at all': '',
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    test(`forged: ${what}`, () => assert.equal(verifyLink('GET', forged, NOW, SECRET).status, 'forged'));
  }

  test('forged: another method, another secret, and an altered link after its expiry', () => {
    assert.equal(verifyLink('PUT', link, NOW, SECRET).status, 'forged');
    assert.equal(verifyLink('GET', link, NOW, `${SECRET}!`).status, 'forged');
    assert.equal(verifyLink('GET', `${link}&a=b`, new Date('2030-01-01'), SECRET).status, 'forged');
  });
});
