/** Everything that may be sent as a credential, good and bad. */
import assert from 'node:assert/strict';
import { newApiKeySecret } from '@audiosplit/gateway/testing/credentials';
import { DAY_MS } from '../../harness/installation/scripted.ts';
import { forgeTokens } from './forged-tokens.fixture.ts';
import { answerOf, bearer, type Installation, type Person, withKey } from './installation.fixture.ts';

export const SCOPES = ['splits:read', 'splits:write', 'keys:manage', 'connections:manage'] as const;

export type Credentials = Awaited<ReturnType<typeof makeCredentials>>;

/** Advances the installation's clock by a day, so that everything that expires within a day has expired. */
export async function makeCredentials(
  installation: Installation,
  people: { readonly holder: Person; readonly stranger: Person; readonly leaver: Person },
) {
  const { call, all } = installation;
  const { holder, stranger, leaver } = people;
  const expiredToken = await holder.token();
  const inAMinute = new Date(all.context.clock().getTime() + 60_000).toISOString();
  const expired = await holder.createKey({ expiresAt: inAMinute });
  const rotated = await holder.createKey();
  const rotation = `/api/v1/api-keys/${rotated.id}/rotate`;
  await answerOf(call('POST', rotation, bearer(expiredToken), { graceSeconds: 60 }));
  const inGrace = await call('GET', '/api/v1/splits', withKey(rotated.key));
  assert.equal(inGrace.status, 200, 'within its grace the old secret works');
  const revoked = await holder.createKey();
  await answerOf(call('DELETE', `/api/v1/api-keys/${revoked.id}`, bearer(expiredToken)));
  const leaversKey = (await leaver.createKey()).key;
  const confirmed = { confirmation: 'DELETE MY ACCOUNT' };
  await answerOf(call('DELETE', '/api/v1/account', bearer(await leaver.token()), confirmed));
  all.advance(DAY_MS);

  const goodToken = await holder.token();
  const goodKey = (await holder.createKey({ scopes: [...SCOPES] })).key;
  /** Keys with all scopes except the one they are named after. */
  const keyWithout = new Map<string, string>();
  for (const scope of SCOPES) {
    const { key } = await holder.createKey({ scopes: SCOPES.filter((each) => each !== scope) });
    keyWithout.set(scope, key);
  }
  return {
    goodToken,
    goodKey,
    /** Each is refused with 401; keyed by its defect. */
    badTokens: new Map([['expired', expiredToken], ...(await forgeTokens(installation, goodToken))]),
    badKeys: new Map([
      ['malformed', 'not-a-key'],
      ['with a wrong checksum', goodKey.slice(0, -1) + (goodKey.endsWith('0') ? '1' : '0')],
      ['unknown', newApiKeySecret()],
      ['expired', expired.key],
      ['revoked', revoked.key],
      ['rotated, after its grace', rotated.key],
      ['of an account pending deletion', leaversKey],
    ]),
    keyWithout,
    strangersToken: await stranger.token(),
    strangersKey: (await stranger.createKey({ scopes: [...SCOPES] })).key,
    leaversToken: await leaver.token(),
  };
}
