import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import type { Process } from '@audiosplit/proto/callers';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import { createBillingOperatorClient } from '../client.ts';

describe('the suspension of an account', () => {
  const fixture = forSuite(startBillingFixture);

  const operatorAs = (name: Process) => {
    const address = serveInProcess({ ...fixture.context, routes: fixture.service.routes });
    return createBillingOperatorClient(createCaller({ ...fixture.context, keys: testKeysOf(name) }), address);
  };
  const limitsOf = async (accountId: string) => (await fixture.billing.getLimits({ accountId })).limits;

  it('is published with the limits, allows no job to start, and ends when the account is restored', async () => {
    const operator = operatorAs('operator');
    const accountId = newId('acc');
    await operator.suspendAccount({ accountId, reason: ' It sends spam. ' });
    const suspended = await limitsOf(accountId);
    assert.deepEqual([suspended?.suspension?.reason, suspended?.concurrentJobs], ['It sends spam.', 0]);
    const since = suspended?.suspension?.suspendedAt;
    assert.deepEqual(since && timestampDate(since), fixture.now());
    assert.equal((await operator.getAccount({ accountId })).suspension?.reason, 'It sends spam.');

    await operator.suspendAccount({ accountId, reason: 'again' });
    assert.deepEqual(await limitsOf(accountId), suspended, 'a repeat changes nothing');

    await operator.restoreAccount({ accountId, reason: 'It was somebody else.' });
    await operator.restoreAccount({ accountId, reason: 'again' });
    const restored = await limitsOf(accountId);
    assert.deepEqual([restored?.suspension, restored?.concurrentJobs], [undefined, 2]);
    const events = await fixture.published('accountLimitsChanged', accountId, 2);
    assert.deepEqual(
      events.map(({ payload }) => payload.case === 'accountLimitsChanged' && payload.value.limits),
      [suspended, restored],
    );
    const mails = await fixture.published('accountSuspensionChanged', accountId, 2);
    assert.deepEqual(
      mails.map(({ payload }) => {
        assert(payload.case === 'accountSuspensionChanged');
        return [payload.value.suspended, payload.value.reason];
      }),
      [
        [true, 'It sends spam.'],
        [false, 'It was somebody else.'],
      ],
    );
  });

  it('survives changes of plan and overrides, while the subscription and its invoices continue', async () => {
    const operator = operatorAs('operator');
    const ada = openHolder(fixture);
    const { accountId } = ada;
    await ada.setCard('tok_visa');
    await ada.subscribe('plan_starter');
    await operator.suspendAccount({ accountId, reason: 'It sends spam.' });
    await operator.changeOverrides({ accountId, changes: [{ figure: 'concurrentJobs', value: 9n }] });
    await ada.changePlan('plan_pro');
    const limits = await limitsOf(accountId);
    assert.deepEqual([limits?.planId, limits?.concurrentJobs], ['plan_pro', 0]);
    assert.equal(limits?.suspension?.reason, 'It sends spam.');
    await operator.restoreAccount({ accountId, reason: 'It has stopped.' });
    assert.equal((await limitsOf(accountId))?.concurrentJobs, 9);
    assert.equal((await ada.invoices()).length, 2);
  });

  it('INVALID_PARAMS: without a reason, or with one that is too long', async () => {
    const operator = operatorAs('operator');
    const accountId = newId('acc');
    for (const reason of ['', '  ', 'x'.repeat(1_001)]) {
      await refusal(operator.suspendAccount({ accountId, reason }), 'INVALID_PARAMS');
      await refusal(operator.restoreAccount({ accountId, reason }), 'INVALID_PARAMS');
    }
  });

  it('UNAUTHORIZED: by any caller but an operator', async () => {
    const request = { accountId: newId('acc'), reason: 'why' };
    for (const name of ['gateway', 'jobs', 'auth'] as const) {
      await refusal(operatorAs(name).suspendAccount(request), 'UNAUTHORIZED');
      await refusal(operatorAs(name).restoreAccount(request), 'UNAUTHORIZED');
    }
  });
});
