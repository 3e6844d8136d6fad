import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import type { Process } from '@audiosplit/proto/callers';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BillingFixture, startBillingFixture } from './billing.fixture.ts';
import { createBillingOperatorClient } from './client.ts';
import { createSandboxProvider } from './payment/sandbox.ts';

function operatorOf({ context, service }: BillingFixture, name: Process = 'operator') {
  const address = serveInProcess({ ...context, routes: service.routes });
  return createBillingOperatorClient(createCaller({ ...context, keys: testKeysOf(name) }), address);
}

describe('accounts for operators', () => {
  const fixture = forSuite(startBillingFixture);

  async function register(email: string): Promise<string> {
    const accountId = newId('acc');
    await fixture.tell(accountId, { case: 'accountRegistered', value: { email, name: 'Somebody' } });
    const isKnown = async () =>
      (await operatorOf(fixture).findAccounts({ query: accountId })).accounts.length === 1;
    await until(isKnown, 'billing has heard of the account');
    return accountId;
  }
  const idsFor = async (query: string) =>
    (await operatorOf(fixture).findAccounts({ query })).accounts.map(({ accountId }) => accountId);

  it('reject reads and changes by the gateway or by an account', async () => {
    const accountId = newId('acc');
    const now = timestampFromDate(fixture.now());
    for (const name of ['gateway', 'splitter', 'jobs'] as const) {
      const other = operatorOf(fixture, name);
      await refusal(other.findAccounts({}), 'UNAUTHORIZED');
      await refusal(other.getAccount({ accountId }), 'UNAUTHORIZED');
      await refusal(other.changeOverrides({ accountId }), 'UNAUTHORIZED');
      await refusal(other.moveClock({ accountId, now }), 'UNAUTHORIZED');
    }
    const asHolder = operatorOf(fixture).getAccount({ accountId }, fixture.actingFor(accountId));
    await refusal(asHolder, 'UNAUTHORIZED');
  });

  it('are found by id, and by the beginning of the address in any case', async () => {
    const grace = await register('Grace.Hopper@Example.com');
    const other = await register('grace_kelly@example.com');
    assert.deepEqual(await idsFor(grace), [grace]);
    assert.deepEqual(await idsFor('GRACE.H'), [grace]);
    assert.deepEqual(await idsFor(' grace'), [grace, other].sort());
    assert.deepEqual(await idsFor('race'), []);
    assert.deepEqual(await idsFor('grace%'), []);
    await refusal(operatorOf(fixture).findAccounts({ query: 'x'.repeat(400) }), 'INVALID_PARAMS');
  });

  it('show their plan with and without the overrides', async () => {
    const operator = operatorOf(fixture);
    const accountId = await register('ada@example.com');
    const before = await operator.getAccount({ accountId });
    assert.deepEqual([before.account?.plan?.requestsPerMinute, before.subscription], [10, undefined]);

    const changes = [
      { figure: 'requestsPerMinute', value: 500n },
      { figure: 'monthlyMinutes', value: 0n },
    ];
    await operator.changeOverrides({ accountId, changes });
    const { overrides } = await operator.changeOverrides({
      accountId,
      changes: [{ figure: 'monthlyMinutes' }, { figure: 'concurrentJobs', value: 9n }],
    });
    assert.deepEqual(
      [overrides?.requestsPerMinute, overrides?.monthlyMinutes, overrides?.concurrentJobs],
      [500, undefined, 9],
    );
    const { account, ownPlan } = await operator.getAccount({ accountId });
    assert.deepEqual([account?.plan?.requestsPerMinute, ownPlan?.requestsPerMinute], [500, 10]);
    assert.deepEqual(await idsFor(''), [accountId]);
    const [event] = await fixture.published('accountLimitsChanged', accountId, 2);
    assert.ok(event);

    await operator.changeOverrides({
      accountId,
      changes: [{ figure: 'requestsPerMinute' }, { figure: 'concurrentJobs' }],
    });
    assert.deepEqual(await idsFor(''), []);
  });

  it('keep the override that another operator sets concurrently', async () => {
    const operator = operatorOf(fixture);
    const accountId = newId('acc');
    await Promise.all([
      operator.changeOverrides({ accountId, changes: [{ figure: 'requestsPerMinute', value: 77n }] }),
      operator.changeOverrides({ accountId, changes: [{ figure: 'concurrentJobs', value: 7n }] }),
    ]);
    const { account } = await operator.getAccount({ accountId });
    assert.deepEqual([account?.overrides?.requestsPerMinute, account?.overrides?.concurrentJobs], [77, 7]);
  });

  it('reject unknown figures', async () => {
    const operator = operatorOf(fixture);
    const change = (figure: string, value: bigint) =>
      operator.changeOverrides({ accountId: newId('acc'), changes: [{ figure, value }] });
    await refusal(change('requestsPerMinute', 0n), 'INVALID_PARAMS');
    await refusal(change('price', 1n), 'INVALID_PARAMS');
  });

  it('have a clock that moves forward, only with the sandbox', async () => {
    const operator = operatorOf(fixture);
    const accountId = newId('acc');
    const later = new Date(fixture.now().getTime() + 86_400_000);
    await operator.moveClock({ accountId, now: timestampFromDate(later) });
    const { clock } = await operator.getAccount({ accountId });
    assert.deepEqual(clock && timestampDate(clock), later);
    await refusal(operator.moveClock({ accountId, now: timestampFromDate(fixture.now()) }), 'INVALID_PARAMS');

    await using stripe = await startBillingFixture({
      provider: { ...createSandboxProvider(), name: 'stripe' },
    });
    assert.equal((await operatorOf(stripe).getAccount({ accountId })).clock, undefined);
    const moved = operatorOf(stripe).moveClock({ accountId, now: timestampFromDate(later) });
    await refusal(moved, 'NOT_FOUND');
  });
});
