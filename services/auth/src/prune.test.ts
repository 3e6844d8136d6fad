import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { PASSWORD, startAuthFixture } from './auth.fixture.ts';
import { prune } from './prune.ts';
import { SESSION_LIFETIME_MS } from './sign-in/refresh-token.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('pruning', () => {
  const fixture = forSuite(startAuthFixture);

  const count = async (table: string) => {
    const { rows } = await fixture.pool.query<{ count: number }>(`select count(*) as count from ${table}`);
    return rows[0]?.count;
  };
  /** The number of rows just before the time, and at it. */
  const countsAround = async (table: string, waitMs: number) => {
    fixture.advance(waitMs - 1);
    await prune(fixture.pool, fixture.now());
    const kept = await count(table);
    fixture.advance(1);
    await prune(fixture.pool, fixture.now());
    return [kept, await count(table)];
  };

  it('removes ended sessions with their tokens', async () => {
    const { session } = await fixture.auth.register({ email: 'ada@example.com', password: PASSWORD });
    await fixture.auth.refreshSession({ refreshToken: session?.refreshToken ?? '' });
    assert.deepEqual(await countsAround('refresh_tokens', SESSION_LIFETIME_MS), [2, 0]);
    assert.equal(await count('sessions'), 0);
    assert.equal(await count('accounts'), 1);
  });

  it('removes secrets after their grace period, and never the current one', async () => {
    const owner = fixture.actingFor(newId('acc'));
    const { apiKey } = await fixture.auth.createApiKey({ name: 'k' }, owner);
    await fixture.auth.rotateApiKey({ keyId: apiKey?.id ?? '', graceSeconds: 60 }, owner);
    assert.deepEqual(await countsAround('api_key_secrets', MINUTE_MS), [2, 1]);
  });

  it('removes sign-in failures that no longer count', async () => {
    const guess = fixture.auth.login({
      email: 'unknown@example.com',
      password: 'wrong',
      clientIp: '192.0.2.1',
    });
    await refusal(guess, 'UNAUTHORIZED');
    assert.deepEqual(await countsAround('sign_in_failures', 60 * MINUTE_MS), [3, 0]);
  });

  it('removes callers that are no longer known, and old links', async () => {
    const { session } = await fixture.auth.register({
      email: 'grace@example.com',
      password: PASSWORD,
      clientIp: '192.0.2.1',
      deviceToken: 'a device',
    });
    await fixture.auth.createSignInLink({ accountId: session?.account?.id ?? '' });
    assert.deepEqual(await countsAround('sign_in_links', 30 * MINUTE_MS), [1, 0]);
    assert.deepEqual(await countsAround('known_callers', 90 * DAY_MS - 30 * MINUTE_MS), [2, 0]);
  });

  it('forgets a purged account after 15 days, and keeps pending deletions', async () => {
    const [pending, purged] = [newId('acc'), newId('acc')];
    await fixture.tell(pending, { case: 'accountDeletionRequested', value: {} });
    await fixture.tell(purged, { case: 'accountPurged', value: {} });
    await until(async () => (await count('account_deletions')) === 2);
    assert.deepEqual(await countsAround('account_deletions', 15 * DAY_MS), [2, 1]);
    assert.equal((await fixture.auth.getAccountLimits({ accountId: pending })).pendingDeletion, true);
  });
});
