/** What an account may still do from the moment its deletion is requested. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import { OPEN_WHILE_PENDING } from './endpoints.fixture.ts';
import { startWithHolder } from './holder.fixture.ts';
import { answerOf, bearer, withKey } from './installation.fixture.ts';

interface Pending {
  readonly deletionScheduledAt: string;
}

const CONFIRMATION = { confirmation: 'DELETE MY ACCOUNT' };

describe('an account whose deletion is pending', () => {
  const installation = forSuite(startWithHolder);

  // Covers D-7.3 B-14.3
  it('gets 403 ACCOUNT_PENDING_DELETION from every route at once, except for reading, repeating the request, restoring and signing in', async () => {
    const { call, holder: leaver, operations } = installation;
    const { key } = installation.belongings;
    const token = bearer(installation.token);
    // The gateway caches the account's state from before the deletion.
    await answerOf(call('GET', '/api/v1/billing', token));
    await answerOf(call('GET', '/api/v1/splits', withKey(key)));
    const { deletionScheduledAt } = await answerOf<Pending>(
      call('DELETE', '/api/v1/account', token, CONFIRMATION),
    );

    const shut = operations.filter(({ id, takesToken }) => takesToken && !OPEN_WHILE_PENDING.has(id));
    assert.ok(shut.length >= 20, 'all but a few');
    for (const { id, method } of shut) {
      const answer = await installation.send(id, token);
      if (method === 'HEAD') assert.equal(answer.status, 403, id);
      else await assert.doesNotReject(expectError(answer, 'ACCOUNT_PENDING_DELETION'), id);
    }

    await expectError(await call('GET', '/api/v1/splits', withKey(key)), 'UNAUTHORIZED');

    const account = await answerOf<Pending>(call('GET', '/api/v1/account', token));
    assert.equal(account.deletionScheduledAt, deletionScheduledAt);
    installation.all.advance(60_000);
    const again = await answerOf<Pending>(call('DELETE', '/api/v1/account', token, CONFIRMATION));
    assert.equal(again.deletionScheduledAt, deletionScheduledAt, 'the same, however often it is asked for');
    const newToken = bearer(await leaver.token());
    await expectError(await call('GET', '/api/v1/billing', newToken), 'ACCOUNT_PENDING_DELETION');
    await answerOf(call('POST', '/api/v1/account/restore', token));
    const restored = await answerOf<Partial<Pending>>(call('GET', '/api/v1/account', token));
    assert.equal(restored.deletionScheduledAt, undefined);
  });
});
