import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { readBillingConfig } from './config.ts';

const STRIPE = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_4242',
  STRIPE_WEBHOOK_SECRET: 'whsec_4242',
};

describe('configuration of billing', () => {
  it('takes payments in the sandbox by default', () => {
    assert.deepEqual(readBillingConfig({}).payment, { provider: 'sandbox' });
    const unused = { STRIPE_SECRET_KEY: 'nonsense', PAYMENT_PROVIDER: 'sandbox' };
    assert.deepEqual(readBillingConfig(unused).payment, { provider: 'sandbox' });
  });

  it('reads the settings for Stripe', () => {
    assert.deepEqual(readBillingConfig(STRIPE).payment, {
      provider: 'stripe',
      secretKey: 'sk_test_4242',
      webhookSecret: 'whsec_4242',
      apiBase: undefined,
    });
    const { payment } = readBillingConfig({ ...STRIPE, STRIPE_API_BASE: 'http://127.0.0.1:12111' });
    assert(payment.provider === 'stripe');
    assert.equal(payment.apiBase?.origin, 'http://127.0.0.1:12111');
  });

  for (const [variable, change] of [
    ['PAYMENT_PROVIDER', { PAYMENT_PROVIDER: 'paypal' }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: undefined }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'pk_live_hush' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: '' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'hush' }],
    ['STRIPE_API_BASE', { STRIPE_API_BASE: 'ftp://127.0.0.1' }],
    ['STRIPE_API_BASE', { STRIPE_API_BASE: 'http://127.0.0.1/v1' }],
    ['STRIPE_API_BASE', { STRIPE_API_BASE: 'http://127.0.0.1', STRIPE_SECRET_KEY: 'sk_live_4242' }],
  ] as const) {
    it(`rejects ${JSON.stringify(change)}, names ${variable} and shows no secret`, () => {
      assert.throws(
        () => readBillingConfig({ ...STRIPE, ...change }),
        (error) =>
          error instanceof ConfigError && error.variable === variable && !error.message.includes('hush'),
      );
    });
  }
});
