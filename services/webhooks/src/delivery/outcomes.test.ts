import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { startWebhooksFixture } from '../webhooks.fixture.ts';
import { status } from './receiver.fixture.ts';

describe('a response', () => {
  const fixture = forSuite(startWebhooksFixture);

  // Covers D-4.10 D-4.12 D-4.13 D-9.35
  test('of 2xx is a success, 410 is final, and anything else is retried', async () => {
    for (const [statusCode, outcome] of [
      [200, 'delivered'],
      [201, 'delivered'],
      [202, 'delivered'],
      [204, 'delivered'],
      [299, 'delivered'],
      [300, 'pending'],
      [302, 'pending'],
      [400, 'pending'],
      [404, 'pending'],
      [409, 'pending'],
      [410, 'failed'],
      [429, 'pending'],
      [500, 'pending'],
      [503, 'pending'],
      [599, 'pending'],
    ] as const) {
      const account = `acc_${statusCode}`;
      const target = fixture.receiver.target(status(statusCode));
      await fixture.change(account, target.url);
      const delivery = await fixture.delivery(account, { attempts: 1 });
      assert.deepEqual([delivery.attempts[0]?.statusCode, delivery.status], [statusCode, outcome]);
      assert.equal(delivery.nextAttemptAt !== undefined, outcome === 'pending');
      assert.equal(delivery.attempts[0]?.error === undefined, outcome === 'delivered');
      assert.equal(target.posted.length, 1);
    }
  });
});
