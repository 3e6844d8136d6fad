import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIdentitySigner, type Identity, signIdentity, verifyIdentity } from './identity.ts';

const SECRET = 's'.repeat(32);
const NOW = new Date('2026-01-01T00:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const account: Identity = { kind: 'account', accountId: 'acc_1', scopes: ['splits:read'] };

describe('identities of internal calls', () => {
  test('what was signed is what is read, until it expires', () => {
    const token = signIdentity(SECRET, account, NOW);
    assert.deepEqual(verifyIdentity(SECRET, token, NOW), account);
    assert.deepEqual(verifyIdentity(SECRET, token, later(119)), account);
    assert.equal(verifyIdentity(SECRET, token, later(120)), undefined);
  });

  test('a token that is missing, cut, altered or signed with another secret says nothing', () => {
    const token = signIdentity(SECRET, account, NOW);
    const [header, body, signature] = token.split('.') as [string, string, string];
    const otherBody = Buffer.from(
      JSON.stringify({ id: { ...account, accountId: 'acc_2' }, exp: 4e9 }),
    ).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const forged of [
      null,
      '',
      header,
      `${header}.${body}`,
      `${header}.${body}.`,
      `${header}.${otherBody}.${signature}`,
      `${none}.${body}.${signature}`,
      `${none}.${body}.`,
      signIdentity('t'.repeat(32), account, NOW),
    ]) {
      assert.equal(verifyIdentity(SECRET, forged, NOW), undefined, String(forged));
    }
  });

  test('while a secret has two values, tokens under each are read, and new ones are under the first', () => {
    const next = 'n'.repeat(32);
    const former = signIdentity(SECRET, account, NOW);
    for (const both of [`${SECRET}\n${next}`, `${next}\n${SECRET}`]) {
      assert.deepEqual(verifyIdentity(both, former, NOW), account);
    }
    const fresh = signIdentity(`${next}\n${SECRET}`, account, NOW);
    assert.deepEqual(verifyIdentity(next, fresh, NOW), account);
    assert.equal(verifyIdentity(SECRET, fresh, NOW), undefined);
    assert.equal(verifyIdentity(next, former, NOW), undefined);
  });

  test('a signer makes a token anew before it grows old', () => {
    let now = NOW;
    const sign = createIdentitySigner(SECRET, () => now);
    const first = sign(account);
    now = later(59);
    assert.equal(sign(account), first);
    now = later(61);
    assert.notEqual(sign(account), first);
    assert.notEqual(sign({ kind: 'service', service: 'jobs' }), sign(account));
  });
});
