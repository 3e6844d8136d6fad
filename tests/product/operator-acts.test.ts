/** Operators' changes to an account: each needs a reason, and the audit log stores it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { PASSWORD } from '../harness/accounts/open-account.ts';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import { codeOf } from '../harness/installation/console.fixture.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { OPERATOR, startOperatorsFixture } from '../harness/operators.fixture.ts';

const WHY = 'ticket 4711';

describe('acts of operators', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));
  const operators = forSuite(() => startOperatorsFixture(api));

  test('a job is canceled by an operator, once', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    const jobId = await ada.create();
    const cancel = () => browser.mutate('jobs.cancel', { accountId: ada.accountId, jobId, reason: WHY });
    assert.equal((await cancel()).status, 200);
    const { body } = await ada.withKey(`GET /splits/${jobId}`);
    assert.deepEqual([body.status, body.error.code], ['failed', 'CANCELED']);
    assert.equal(codeOf(await cancel()), 'JOB_ALREADY_FINISHED');
    const other = { accountId: (await api.register()).accountId, jobId, reason: WHY };
    assert.equal(codeOf(await browser.mutate('jobs.cancel', other)), 'JOB_NOT_FOUND');
  });

  test('an account is suspended and restored, and the audit log records who did it and why', async () => {
    const browser = await operators.signIn();
    const { accountId } = await api.register();
    const suspension = async () => (await browser.read('accounts.get', { accountId })).suspension;
    assert.equal(await suspension(), null);
    assert.equal((await browser.mutate('accounts.suspend', { accountId, reason: '' })).status, 400);
    await browser.change('accounts.suspend', { accountId, reason: WHY });
    assert.equal((await suspension()).reason, WHY);
    await browser.change('accounts.restore', { accountId, reason: 'settled' });
    assert.equal(await suspension(), null);
    const { acts } = await browser.read('acts.list', { accountId, page: 1 });
    assert.deepEqual(
      acts.map(({ action, reason, outcome }: Record<string, string>) => [action, reason, outcome]),
      [
        ['accounts.restore', 'settled', 'done'],
        ['accounts.suspend', WHY, 'done'],
      ],
    );
  });

  test('a lost second factor is turned off with a reason, and the sessions of its account end', async () => {
    const browser = await operators.signIn();
    const { accountId, withToken } = await api.register();
    const signInOf = () => browser.read('accounts.signIn', { accountId });
    assert.equal((await signInOf()).secondFactorSince, null);
    const turnOff = () => browser.mutate('accounts.turnOffSecondFactor', { accountId, reason: WHY });
    assert.equal(codeOf(await turnOff()), 'NOT_FOUND');
    const { body } = await withToken('POST /account/second-factor', { current: PASSWORD });
    const code = authenticatorCode(body.secret, api.context.clock());
    assert.equal((await withToken('POST /account/second-factor/confirm', { code })).status, 200);
    assert.notEqual((await signInOf()).secondFactorSince, null);
    assert.equal((await turnOff()).status, 200);
    assert.deepEqual(await signInOf(), { ...(await signInOf()), secondFactorSince: null, sessions: 0 });
    api.advance(1_000);
    assert.equal((await withToken('GET /account')).status, 401);
    const { acts } = await browser.read('acts.list', { accountId, page: 1 });
    assert.deepEqual(
      acts.map(({ action, outcome }: Record<string, string>) => [action, outcome]),
      [
        ['accounts.turnOffSecondFactor', 'done'],
        ['accounts.turnOffSecondFactor', 'NOT_FOUND'],
      ],
    );
    assert.equal(await browser.read('accounts.signIn', { accountId: 'acc_elsewhere' }), null);
  });

  test('an invoice is refunded in part, with a reason that its holder sees, and the rest stays refundable', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    await ada.subscribe('plan_starter');
    const account = () => browser.read('accounts.get', { accountId: ada.accountId });
    const [{ id: invoiceId }] = (await account()).invoices;
    const refund = (amount: number, requestKey: string = crypto.randomUUID()) =>
      browser.mutate('accounts.refund', {
        accountId: ada.accountId,
        invoiceId,
        amount,
        reason: WHY,
        requestKey,
      });
    const key = crypto.randomUUID();
    for (const _ of ['once', 'again']) assert.equal((await refund(300, key)).status, 200);
    const { status, body } = await refund(601);
    assert.deepEqual([status, body.error.data.api.details[0].field], [400, 'amount']);
    const [invoice] = (await account()).invoices;
    assert.deepEqual([invoice.amountRefunded, invoice.refunds.length], [300, 1]);
    const { data } = (await ada.withToken('GET /billing/invoices')).body;
    assert.deepEqual(
      [data[0].status, data[0].amountRefunded, data[0].refunds[0].reason, data[0].refunds[0].status],
      ['paid', 300, WHY, 'succeeded'],
    );
    const { acts } = await browser.read('acts.list', { accountId: ada.accountId, page: 1 });
    assert.deepEqual(
      acts.map(({ action, reason, outcome }: Record<string, string>) => [action, reason, outcome]),
      [
        ['accounts.refund', WHY, 'INVALID_PARAMS'],
        ['accounts.refund', WHY, 'done'],
        ['accounts.refund', WHY, 'done'],
      ],
    );
  });

  test('every act requires a reason, and the audit log records who, what, why and the outcome', async () => {
    const browser = await operators.signIn();
    const { accountId } = await api.register();
    const change = (value: number, reason?: string) =>
      browser.mutate('accounts.changeOverrides', {
        accountId,
        changes: [{ figure: 'concurrentJobs', value }],
        ...(reason === undefined ? {} : { reason }),
      });
    for (const reason of [undefined, '', '  ']) assert.equal((await change(3, reason)).status, 400);
    assert.deepEqual((await browser.read('acts.list', { accountId, page: 1 })).acts, []);
    assert.equal((await change(3, 'a large customer')).status, 200);
    await change(0, 'a mistake');
    const { acts, hasMore } = await browser.read('acts.list', { accountId, page: 1 });
    assert.equal(hasMore, false);
    const rows = acts.map((act: { operator: string; action: string; reason: string; outcome: string }) => [
      act.operator,
      act.action,
      act.reason,
      act.outcome,
    ]);
    assert.deepEqual(rows, [
      [OPERATOR, 'accounts.changeOverrides', 'a mistake', 'INVALID_PARAMS'],
      [OPERATOR, 'accounts.changeOverrides', 'a large customer', 'done'],
    ]);
    assert.deepEqual(JSON.parse(acts[1].input).changes, [{ figure: 'concurrentJobs', value: 3 }]);
    const all = await browser.read('acts.list', { accountId: '', page: 1 });
    assert.equal(all.acts[0].id, acts[0].id);
  });
});
