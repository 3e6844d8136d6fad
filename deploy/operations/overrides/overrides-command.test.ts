import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startBillingFixture } from '@audiosplit/billing/billing.fixture';
import { newId } from '@audiosplit/chassis/ids';
import { startRpcServer } from '@audiosplit/chassis/rpc/server';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testIdentityEnv } from '@audiosplit/chassis/testing/identities';
import { runOverridesCommand } from './overrides-command.ts';

describe('npm run operate -- overrides', () => {
  const fixture = forSuite(startBillingFixture);
  const server = forSuite(() => {
    const { routes } = fixture.service;
    return startRpcServer({ ...fixture.context, routes, host: '127.0.0.1', port: 0 });
  });

  const run = async (...args: string[]) => {
    const output: string[] = [];
    const env = { BILLING_RPC_URL: `http://127.0.0.1:${server.port}`, ...testIdentityEnv('operator') };
    const write = (text: string) => void output.push(text);
    await runOverridesCommand(args, { env, clock: fixture.now, write });
    return output.join('');
  };

  // Covers D-3.10
  it('shows the limits of an account, and changes the given ones', async () => {
    const accountId = newId('acc');
    assert.match(await run(accountId), /Free plan\n {2}requestsPerMinute +10\n/);
    await run(accountId, 'pricePerMonthCents=19900', 'overageMillicentsPerMinute=500', 'concurrentJobs=7');
    const shown = await run(accountId, 'requestsPerMinute=2000', 'concurrentJobs=plan');
    assert.match(shown, /requestsPerMinute +2000 {2}\(override\)/);
    assert.match(shown, /concurrentJobs +2\n/);
    assert.match(shown, /pricePerMonthCents +0 {2}\(override 19900 on paid plans\)/);

    const options = fixture.actingFor(accountId);
    const billing = fixture.clientOf('gateway');
    await billing.setPaymentMethod({ token: 'tok_visa' }, options);
    await billing.subscribe({ planId: 'plan_enterprise' }, options);
    const paid = await run(accountId);
    assert.match(paid, /Enterprise plan\n/);
    assert.match(paid, /pricePerMonthCents +19900 {2}\(override\)/);
    assert.match(paid, /overageMillicentsPerMinute +500 {2}\(override\)/);
    const { invoices } = await billing.listInvoices({ page: 1, limit: 1 }, options);
    assert.equal(invoices[0]?.amountCents, 19_900n);
  });

  for (const args of [
    [],
    ['ada@example.com'],
    ['acc_1', 'price=1'],
    ['acc_1', 'concurrentJobs=many'],
    ['acc_1', 'concurrentJobs=1', 'concurrentJobs=2'],
  ]) {
    it(`shows the usage: ${JSON.stringify(args)}`, async () => {
      const message = /usage: npm run operate -- overrides/;
      await assert.rejects(run(...args), { name: 'StartError', message });
    });
  }

  it('prints a rejection by billing in one line', async () => {
    const refused = run(newId('acc'), 'concurrentJobs=0');
    await assert.rejects(refused, { name: 'StartError', message: /^concurrentJobs: give a whole number/ });
  });

  it('names missing settings', async () => {
    const options = { clock: fixture.now, write: () => undefined };
    await assert.rejects(runOverridesCommand(['acc_1'], { ...options, env: testIdentityEnv('operator') }), {
      name: 'ConfigError',
      message: /BILLING_RPC_URL/,
    });
    await assert.rejects(runOverridesCommand(['acc_1'], { ...options, env: {} }), {
      message: /IDENTITY_PRIVATE_KEY/,
    });
  });
});
