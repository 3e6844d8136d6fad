import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verifyIdentity } from '@audiosplit/chassis/rpc/identity';
import { type Identity, identityToken } from './identity-token.ts';

const SECRET = 'a secret that is long enough for an installation';
const NOW = new Date('2026-11-21T12:00:29.900Z');

function tokenOf(identity: Identity, now = NOW): string {
  return identityToken(identity, now.getTime(), {
    base64url: (text) => Buffer.from(text).toString('base64url'),
    hmacSha256: (text) => createHmac('sha256', SECRET).update(text).digest('base64url'),
  });
}

for (const identity of [
  { kind: 'account', accountId: 'acc_1', scopes: ['splits:read'] },
  { kind: 'service', service: 'gateway' },
] as const) {
  test(`services take the token of ${identity.kind === 'account' ? 'an account' : 'a service'} as their own`, () => {
    assert.deepEqual(verifyIdentity(SECRET, tokenOf(identity), NOW), identity);
    assert.equal(verifyIdentity(`${SECRET}.`, tokenOf(identity), NOW), undefined);
  });
}

test('a token stays the same for half a minute, and holds for a minute at least', () => {
  const service: Identity = { kind: 'service', service: 'gateway' };
  const token = tokenOf(service);
  assert.equal(tokenOf(service, new Date('2026-11-21T12:00:00Z')), token);
  assert.notEqual(tokenOf(service, new Date('2026-11-21T12:00:30Z')), token);
  assert.deepEqual(verifyIdentity(SECRET, token, new Date(NOW.getTime() + 60_000)), service);
});
