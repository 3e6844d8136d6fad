/**
 * The same call many times concurrently, by one holder: each gets its response or a refusal, never a server
 * fault. The operations come from `endpoints.fixture.ts`, which has a row for each.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { GUARDED } from './endpoints.fixture.ts';
import { startWithHolder } from './holder.fixture.ts';
import { answerOf, bearer, withKey } from './installation.fixture.ts';

const AT_ONCE = 8;

interface Tokens {
  readonly refreshToken: string;
}

describe('the same call many times concurrently', () => {
  const installation = forSuite(startWithHolder);
  let key: string;
  before(async () => {
    key = (await installation.holder.createKey()).key;
  });

  const ids = Object.keys(GUARDED);
  const registered = (name: string) => {
    const credentials = { email: `${name}@example.com`, password: 'correct horse battery' };
    return answerOf<Tokens>(installation.call('POST', '/api/v1/auth/register', {}, credentials));
  };

  const call = (id: string) =>
    installation.send(
      id,
      installation.operation(id).scope === undefined ? bearer(installation.token) : withKey(key),
    );

  /** The calls whose response `isFault` classifies as a fault. */
  async function faultsOf(called: readonly string[], isFault: (answer: Response) => boolean) {
    const answers = called.map(async (id) => {
      const answer = await call(id);
      const text = await answer.text();
      return isFault(answer) ? [`${id}: ${answer.status} ${text}`] : [];
    });
    return (await Promise.all(answers)).flat();
  }

  for (const id of ids) {
    it(`${id}: no internal error`, async () => {
      const calls = Array.from({ length: AT_ONCE }, () => id);
      assert.deepEqual(await faultsOf(calls, ({ status }) => status >= 500), []);
    });
  }

  // Covers D-1.9
  it('refreshSession: one succeeds, the others are rejected, and the new token stays valid', async () => {
    const { refreshToken } = await registered('refreshing');
    const refresh = (token: string, from = 'a client') =>
      installation.call('POST', '/api/v1/auth/refresh', { 'user-agent': from }, { refreshToken: token });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => refresh(refreshToken)));
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    assert.ok(won !== undefined && more.length === 0);
    assert.equal(answers.filter(({ status }) => status === 401).length, AT_ONCE - 1);
    const next = await answerOf<Tokens>(Promise.resolve(won));
    const last = await answerOf<Tokens>(refresh(next.refreshToken));
    assert.equal((await refresh(refreshToken, 'a thief')).status, 401);
    assert.equal((await refresh(last.refreshToken)).status, 401, 'a thief ends the session');
  });

  it('all operations together: no internal error', async () => {
    // Deleting an account waits for a charge that is still unanswered, and states when to retry.
    const isFault = ({ status, headers }: Response) =>
      status >= 500 && !(status === 503 && headers.get('retry-after') === '60');
    for (let round = 0; round < 5; round += 1) {
      assert.deepEqual(await faultsOf([...ids, ...ids], isFault), [], `round ${round}`);
      await answerOf(call('restoreAccount'));
    }
  });
});
