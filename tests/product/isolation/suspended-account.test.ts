/** What a suspended account may still do, at every gateway, and what happens to its jobs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { until } from '@audiosplit/chassis/testing/until';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { GUARDED, OPEN_WHILE_SUSPENDED } from './endpoints.fixture.ts';
import { startWithHolder } from './holder.fixture.ts';
import { answerOf, bearer, withKey } from './installation.fixture.ts';

interface Standing {
  readonly suspension?: { readonly suspendedAt: string; readonly reason: string };
}

/** Must be requested explicitly when a key is created. */
const NOT_OF_A_NEW_KEY = 'connections:manage';
const REASON = 'The card was reported stolen.';

describe('a suspended account', () => {
  const installation = forSuite(startWithHolder);

  const operator = () => {
    const { context } = installation.all;
    const caller = createCaller({ keys: testKeysOf('operator'), clock: context.clock });
    return caller.client(BillingOperatorService, context.addressOf('billing'));
  };
  const standing = async () => {
    // The gateway caches the account's state for less than a second.
    installation.all.advance(1_000);
    return answerOf<Standing>(installation.call('GET', '/api/v1/account', bearer(installation.token)));
  };

  it('gets 403 ACCOUNT_SUSPENDED with the reason for every change, by tokens and by keys, at every gateway', async () => {
    const { holder, token, belongings, operations } = installation;
    const other = await installation.addGateway();
    const { accountId } = holder;
    await operator().suspendAccount({ accountId, reason: REASON });
    await until(async () => (await standing()).suspension !== undefined, 'the gateway has heard of it');
    assert.equal((await standing()).suspension?.reason, REASON);
    const shut = operations.filter(
      ({ id, method }) =>
        GUARDED[id] !== undefined &&
        !['GET', 'HEAD', 'DELETE'].includes(method) &&
        !OPEN_WHILE_SUSPENDED.has(id),
    );
    assert.ok(shut.length >= 15, 'all that begins something');
    for (const { id, takesToken, scope } of shut) {
      const credentials = [
        ...(takesToken ? [bearer(token)] : []),
        ...(scope === undefined || scope === NOT_OF_A_NEW_KEY ? [] : [withKey(belongings.key)]),
      ];
      for (const credential of credentials) {
        const answer = await installation.send(id, credential);
        const { message } = await expectError(answer, 'ACCOUNT_SUSPENDED');
        assert.ok(message.endsWith(REASON), id);
      }
    }
    const split = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'duration', segmentDuration: 60 };
    await expectError(
      await other.call('POST', '/api/v1/splits', withKey(belongings.key), split),
      'ACCOUNT_SUSPENDED',
    );
  });

  it('can read, download, export, pay, cancel, delete and manage its sign-in', async () => {
    const { holder, token, belongings, operations } = installation;
    const open = operations.filter(
      ({ id, method }) =>
        ['GET', 'HEAD'].includes(method) || OPEN_WHILE_SUSPENDED.has(id) || id === 'deleteSplit',
    );
    for (const { id, takesToken, scope } of open) {
      if (GUARDED[id] === undefined || id === 'followSplit' || id === 'changePassword') continue;
      const credential = takesToken ? bearer(token) : withKey(belongings.key);
      assert.ok(takesToken || scope !== undefined, id);
      const answer = await installation.send(id, credential);
      assert.notEqual(answer.status, 403, id);
      await answer.body?.cancel();
    }
    // Signing in remains possible too.
    await answerOf(installation.call('GET', '/api/v1/billing', bearer(await holder.token())));
  });

  it('can do everything again once it is restored, and then its queued jobs start', async () => {
    const { holder, all, belongings } = installation;
    const { accountId } = holder;
    await operator().restoreAccount({ accountId, reason: 'It was a mistake.' });
    await until(async () => (await standing()).suspension === undefined, 'the gateway has heard of it');
    const split = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'duration', segmentDuration: 60 };
    const { id } = await answerOf<{ id: string }>(
      installation.call('POST', '/api/v1/splits', withKey(belongings.key), split),
    );
    await all.complete(id);
  });

  it('keeps its queue: a running job is finished, and queued ones wait for the restore', async () => {
    const { all } = installation;
    const ada = await all.register();
    const [running = '', queued = ''] = [await ada.create(), await ada.create()];
    const claimed = await all.claim(running);
    const { accountId } = ada;
    await operator().suspendAccount({ accountId, reason: REASON });
    const account = () => ada.withToken('GET /account');
    await until(async () => {
      all.advance(1_000);
      return (await account()).body.suspension !== undefined;
    }, 'it is suspended');
    await until(async () => {
      const refused = await all.leases
        .claimJob({ jobId: queued, workerId: 'worker' })
        .catch((error) => error);
      return refused instanceof Error;
    }, 'the queued job is not to be had');
    await all.finish(claimed);
    const statusOf = async (jobId: string) => (await ada.withKey(`GET /splits/${jobId}`)).body.status;
    assert.deepEqual([await statusOf(running), await statusOf(queued)], ['completed', 'queued']);
    await operator().restoreAccount({ accountId, reason: 'settled' });
    await until(async () => {
      const claim = await all.leases.claimJob({ jobId: queued, workerId: 'worker' }).catch(() => undefined);
      return claim !== undefined;
    }, 'the queued job begins');
  });
});
