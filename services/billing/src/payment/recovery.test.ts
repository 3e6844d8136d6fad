/** Payments under failures: repeated requests, declined cards, invoices that cannot be rendered. */

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { runWithIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { newId } from '@audiosplit/chassis/ids';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import { createBillingClient } from '../client.ts';
import { readBillingConfig } from '../config.ts';
import { startBilling } from '../service.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createSandboxProvider } from './sandbox.ts';

const DAY_MS = 24 * 3_600_000;
const START = new Date('2026-03-14T09:26:53Z');

describe('payments under failures', () => {
  const sandbox = createSandboxProvider();
  let isAway = false;
  const asked: string[] = [];
  const attached = new Map<string, string[]>();
  const detached: string[] = [];
  const forgotten: string[] = [];
  const provider: PaymentProvider = {
    ...sandbox,
    async attach(request) {
      const method = await sandbox.attach(request);
      attached.set(request.accountId, [...(attached.get(request.accountId) ?? []), method.methodId]);
      return method;
    },
    async detach({ methodId }) {
      if (isAway) throw new Error('no route to the provider');
      detached.push(methodId);
    },
    async forget(customerId) {
      if (isAway) throw new Error('no route to the provider');
      forgotten.push(customerId);
    },
    async charge(request) {
      if (isAway) throw new Error('no route to the provider');
      asked.push(request.idempotencyKey);
      return sandbox.charge(request);
    },
  };
  const fixture = forSuite(() => startBillingFixture({ provider }));
  beforeEach(() => {
    isAway = false;
    fixture.setNow(START);
  });

  const holder = async (token: string) => {
    const opened = openHolder(fixture, newId('acc', fixture.now()));
    await opened.setCard(token);
    return {
      ...opened,
      withKey: <T>(name: string, work: () => T) =>
        runWithIdempotencyKey(
          { scope: `account:${opened.accountId}:jwt`, key: name, fingerprint: 'f', replayed: false },
          work,
        ),
      statusOf: async () => (await opened.info()).subscription?.status,
    };
  };
  const iso = (time: Timestamp | undefined) => time && timestampDate(time).toISOString();

  it('treats an expired idempotency key as one of another request', async () => {
    const ada = await holder('tok_visa');
    const ask = () => ada.withKey('daily', () => ada.subscribe('plan_pro'));
    const { subscription } = await ask();
    await ada.cancel(true);
    fixture.setNow(new Date(START.getTime() + DAY_MS + 1));
    const again = await ask();
    assert.equal(again.subscription?.status, 'active');
    assert.notEqual(again.subscription.id, subscription?.id);
    assert.equal((await ada.invoices()).length, 2);
  });

  it('does not query the provider about a settled charge', async () => {
    const ada = await holder('tok_visa');
    const ask = () => ada.withKey('lost', () => ada.subscribe('plan_pro'));
    isAway = true;
    await refusal(ask(), 'SERVICE_UNAVAILABLE');
    const isPending = async () => (await ada.info()).chargePending;
    assert.equal(await isPending(), true);
    isAway = false;
    const before = asked.length;
    // The next request settles the charge.
    await ada.setCard('tok_visa');
    assert.equal(asked.length, before + 1);
    assert.equal((await ask()).subscription?.status, 'active');
    assert.equal(asked.length, before + 1);
    assert.equal(await isPending(), false);
  });

  it('settles a pending charge in a call with another idempotency key', async () => {
    const ada = await holder('tok_visa');
    isAway = true;
    await refusal(ada.subscribe('plan_pro'), 'SERVICE_UNAVAILABLE');
    isAway = false;
    const before = asked.length;
    await ada.withKey('card', () => ada.setCard('tok_mastercard'));
    assert.equal(asked.length, before + 1);
    assert.equal(await ada.statusOf(), 'active');
    await ada.withKey('removal', () => refusal(ada.removeCard(), 'ACTIVE_SUBSCRIPTION'));
  });

  it('keeps the limit of fourteen days for an account that tries several bad cards', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo('2026-04-14T10:00:00Z');
    for (let n = 0; n < 9; n++) await ada.setCard('tok_chargeCustomerFail');
    assert.equal(await ada.statusOf(), 'past_due');
    await ada.moveTo('2026-04-28T09:00:00Z');
    assert.equal(await ada.statusOf(), 'past_due');
    await ada.moveTo('2026-04-28T10:00:00Z');
    assert.equal(await ada.statusOf(), undefined);
    assert.equal((await ada.invoices())[0]?.status, 'uncollectible');
  });

  it('charges a new card at once, even while the old one is being charged', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.setCard('tok_chargeCustomerFail');
    isAway = true;
    await refusal(ada.moveTo('2026-04-14T10:00:00Z'), 'SERVICE_UNAVAILABLE');
    isAway = false;
    await ada.setCard('tok_mastercard');
    assert.equal((await ada.invoices())[0]?.status, 'paid');
    assert.equal(await ada.statusOf(), 'active');
  });

  it('redraws an invoice when its status has changed, under a new key', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo('2026-04-16T00:00:00Z');
    const drawn = async () => {
      const key = (await ada.invoices())[0]?.pdfObjectKey ?? '';
      return { key, sizeBytes: (await fixture.store.head(key)).sizeBytes };
    };
    const open = await drawn();
    await ada.moveTo('2026-04-19T00:00:00Z');
    assert.equal((await drawn()).key, open.key, 'another try changes nothing that the PDF tells');
    await ada.setCard('tok_mastercard');
    const paid = await drawn();
    assert.notEqual(paid.key, open.key);
    assert.equal((await fixture.store.head(open.key)).sizeBytes, open.sizeBytes);
  });

  it('lists invoices that cannot be drawn, and draws the others', async () => {
    const [ada, bob] = [await holder('tok_visa'), await holder('tok_visa')];
    await ada.subscribe('plan_pro');
    await bob.subscribe('plan_pro');
    const openStore = async () => ({
      ...fixture.store,
      put: (...put: Parameters<typeof fixture.store.put>) => {
        if (put[0].includes(ada.accountId)) throw new Error('the disk is full');
        return fixture.store.put(...put);
      },
    });
    const context = { ...fixture.context, openStore };
    await using another = await startBilling(readBillingConfig({}), context, { provider });
    const address = serveInProcess({ ...context, routes: another.routes });
    const client = createBillingClient(createCaller({ ...context, keys: testKeysOf('gateway') }), address);
    const page = { page: 1, limit: 100 };
    assert.equal((await client.listInvoices(page, ada.options())).invoices.length, 1);
    const prefix = `accounts/${bob.accountId}/invoices/`;
    await until(async () => {
      for await (const _ of fixture.store.list(prefix)) return true;
      return false;
    }, "the run draws Bob's, which comes after Ada's");
  });

  it('stops after the invoice in progress, even if many remain', async () => {
    await using own = await startBillingFixture({ provider: sandbox });
    for (let nth = 0; nth < 3; nth += 1) {
      const bob = openHolder(own, newId('acc', own.now()));
      await bob.setCard('tok_visa');
      await bob.subscribe('plan_pro');
    }
    await own.service[Symbol.asyncDispose]();
    const puts: string[] = [];
    const away = Promise.withResolvers<never>();
    const openStore = async () => ({
      ...own.store,
      put(key: string) {
        puts.push(key);
        return away.promise;
      },
    });
    const another = await startBilling(readBillingConfig({}), { ...own.context, openStore }, { provider });
    await until(async () => puts.length > 0, 'a run draws');
    const stopped = another[Symbol.asyncDispose]();
    away.reject(new Error('no route to the store'));
    await stopped;
    assert.equal(puts.length, 1);
  });

  it('counts no minute twice when the current period extends into the next month', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.moveTo('2026-04-05T00:00:00Z');
    await ada.use(10);
    assert.equal((await ada.usage()).minutesProcessed, 10n);
    assert.equal((await ada.usage('2026-03')).minutesProcessed, 10n);
    const april = await ada.usage('2026-04');
    assert.equal(april.minutesProcessed, 0n);
    assert.equal(iso(april.periodStart), '2026-04-14T09:26:53.000Z');
  });

  it('detaches a removed card at the provider as soon as possible, and never charges it', async () => {
    const ada = await holder('tok_visa');
    await ada.setCard('tok_visa');
    const [first = '', second = ''] = attached.get(ada.accountId) ?? [];
    await until(() => detached.includes(first), 'the card that was replaced is off the file');
    isAway = true;
    await ada.removeCard();
    assert.equal((await ada.info()).paymentMethod, undefined);
    await refusal(ada.removeCard(), 'NOT_FOUND');
    await refusal(ada.subscribe('plan_pro'), 'PAYMENT_METHOD_REQUIRED');
    isAway = false;
    // The scheduled run retries what failed. It runs at once after a start.
    await using _another = await startBilling(readBillingConfig({}), fixture.context, { provider });
    await until(() => detached.includes(second), 'the card is off the file');
  });

  it('rejects a card that is being removed', async () => {
    const attached = await sandbox.attach({ accountId: 'acc_1', customerId: undefined, token: 'tok_visa' });
    const same: PaymentProvider = {
      ...sandbox,
      attach: async () => attached,
      detach: () => Promise.reject(new Error('no route to the provider')),
    };
    await using another = await startBillingFixture({ provider: same });
    const client = another.clientOf('gateway');
    const options = another.actingFor(newId('acc'));
    await client.setPaymentMethod({ token: 'tok_visa' }, options);
    await client.setPaymentMethod({ token: 'tok_visa' }, options);
    await client.deletePaymentMethod({}, options);
    await refusal(client.setPaymentMethod({ token: 'tok_visa' }, options), 'PAYMENT_FAILED');
    assert.equal((await client.getBillingInfo({}, options)).paymentMethod, undefined);
  });

  it('deletes a purged account, also at the provider', async () => {
    const ada = await holder('tok_visa');
    await ada.withKey('last', () => ada.subscribe('plan_pro'));
    const [invoice] = await ada.invoices();
    await ada.cancel(true);
    // The purge does not wait for the provider.
    isAway = true;
    await fixture.tell(ada.accountId, { case: 'accountPurged', value: {} });
    await until(async () => (await ada.invoices()).length === 0, 'the invoices are gone');
    assert.equal(forgotten.length, 0);
    isAway = false;
    await using _another = await startBilling(readBillingConfig({}), fixture.context, { provider });
    await until(() => forgotten.includes(`sandbox_${ada.accountId}`), 'the provider has forgotten it');
    await until(
      () =>
        fixture.store.head(invoice?.pdfObjectKey ?? '').then(
          () => false,
          () => true,
        ),
      'the PDF is gone',
    );
    // The stored response is gone too.
    await refusal(
      ada.withKey('last', () => ada.subscribe('plan_pro')),
      'NOT_FOUND',
    );
  });
});
