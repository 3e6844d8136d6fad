/** Calls billing with another gRPC client over a real socket, because Connect alone would not prove gRPC. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { assertStandardHealth } from '@audiosplit/chassis/testing/grpc-health';
import { startGrpcServer } from '@audiosplit/chassis/testing/grpc-server';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { status } from '@grpc/grpc-js';
import { startBillingFixture } from './billing.fixture.ts';

describe('billing over gRPC', () => {
  const fixture = forSuite(startBillingFixture);
  const server = forSuite(() => startGrpcServer(fixture.service, fixture.context));

  const connect = () => server.connect('audiosplit/billing/v1/billing.proto', BillingService);
  const asAccount = () => ({ process: 'gateway', accountId: 'acc_1' }) as const;

  it('answers a call', async () => {
    const billing = await connect();
    const { limits } = await billing('getLimits', { accountId: 'acc_1' }, { process: 'jobs' });
    assert.equal(limits.planId, 'plan_free');
    assert.equal(limits.monthlyMinutes, 60);
  });

  it('UNAUTHENTICATED: a call without identity', async () => {
    const billing = await connect();
    await assert.rejects(billing('listPlans', {}), { code: status.UNAUTHENTICATED });
  });

  it('NOT_FOUND: a missing payment method', async () => {
    const billing = await connect();
    await assert.rejects(billing('deletePaymentMethod', {}, asAccount()), { code: status.NOT_FOUND });
  });

  it('INVALID_ARGUMENT: text that cannot be stored', async () => {
    const billing = await connect();
    await billing('setPaymentMethod', { token: 'tok_visa' }, asAccount());
    await billing('subscribe', { planId: 'plan_starter' }, asAccount());
    const canceling = billing('cancelSubscription', { reason: 'a\0b' }, asAccount());
    await assert.rejects(canceling, { code: status.INVALID_ARGUMENT });
  });

  it('answers the standard health check, and reports when it drains', () =>
    assertStandardHealth(server, fixture.service, [BillingService.typeName]));
});
