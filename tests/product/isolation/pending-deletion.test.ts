/** What an account whose deletion is pending may still do, from the moment at which it has been asked for. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import { OPEN_WHILE_PENDING, requestTo } from './endpoints.fixture.ts';
import {
  answerOf,
  bearer,
  type Installation,
  makeBelongings,
  register,
  startIsolation,
  withKey,
} from './installation.fixture.ts';
import { type Operation, operationsOf } from './operations.fixture.ts';

interface Pending {
  readonly deletionScheduledAt: string;
}

const CONFIRMATION = { confirmation: 'DELETE MY ACCOUNT' };

describe('an account whose deletion is pending', () => {
  let installation: Installation;
  let operations: readonly Operation[];
  before(async () => {
    installation = await startIsolation();
    operations = await operationsOf(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  // Covers D-7.3
  it('gets 403 ACCOUNT_PENDING_DELETION from every route at once, but for looking, asking again, restoring and signing in', async () => {
    const { call } = installation;
    const leaver = await register(installation, 'leaver');
    const belongings = await makeBelongings(installation, leaver);
    const { key } = belongings;
    const token = bearer(await leaver.token());
    // What the gateway knows of the account is of before.
    await answerOf(call('GET', '/api/v1/billing', token));
    await answerOf(call('GET', '/api/v1/splits', withKey(key)));
    const { deletionScheduledAt } = await answerOf<Pending>(
      call('DELETE', '/api/v1/account', token, CONFIRMATION),
    );

    const shut = operations.filter(({ id, takesToken }) => takesToken && !OPEN_WHILE_PENDING.has(id));
    assert.ok(shut.length >= 20, 'all but a few');
    for (const operation of shut) {
      const { path, body } = requestTo(operation, belongings);
      const answer = await call(operation.method, path, token, body);
      if (operation.method === 'HEAD') assert.equal(answer.status, 403, operation.id);
      else await assert.doesNotReject(expectError(answer, 'ACCOUNT_PENDING_DELETION'), operation.id);
    }

    await expectError(await call('GET', '/api/v1/splits', withKey(key)), 'UNAUTHORIZED');

    const account = await answerOf<Pending>(call('GET', '/api/v1/account', token));
    assert.equal(account.deletionScheduledAt, deletionScheduledAt);
    installation.all.advance(60_000);
    const again = await answerOf<Pending>(call('DELETE', '/api/v1/account', token, CONFIRMATION));
    assert.equal(again.deletionScheduledAt, deletionScheduledAt, 'the same, however often it is asked for');
    await expectError(
      await call('GET', '/api/v1/billing', bearer(await leaver.token())),
      'ACCOUNT_PENDING_DELETION',
    );
    await answerOf(call('POST', '/api/v1/account/restore', token));
    const restored = await answerOf<Partial<Pending>>(call('GET', '/api/v1/account', token));
    assert.equal(restored.deletionScheduledAt, undefined);
  });
});
