/** How webhooks handles data exports: it notifies their end, and lists its deliveries. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startWebhooksFixture } from '../webhooks.fixture.ts';

describe('exports', () => {
  const fixture = forSuite(startWebhooksFixture);

  const expiresAt = new Date('2026-03-21T09:26:53Z');
  for (const [status, end, data] of [
    ['completed', { expiresAt: timestampFromDate(expiresAt) }, { expiresAt: expiresAt.toISOString() }],
    ['failed', {}, { expiresAt: null }],
  ] as const) {
    // Covers D-4.6 D-9.37 I-6.2
    test(`export.${status} goes to the webhookUrl of the export, without a link`, async () => {
      const target = fixture.receiver.target();
      const value = { exportId: 'exp_1', status, format: 'csv', webhookUrl: target.url, ...end };
      await fixture.publish(`acc_${status}`, { case: 'exportFinished', value });
      const posted = await fixture.eventually('it is posted', () => target.posted[0]);
      assert.deepEqual(JSON.parse(posted.body), {
        type: `export.${status}`,
        timestamp: fixture.clock().toISOString(),
        data: { exportId: 'exp_1', status, format: 'csv', ...data },
      });
    });
  }

  test('an export without a webhookUrl is not notified', async () => {
    const value = { exportId: 'exp_1', status: 'completed', format: 'json' };
    await fixture.publish('acc_silent', { case: 'exportFinished', value });
    assert.deepEqual(await fixture.deliveriesOf('acc_silent'), []);
  });

  test('a walk returns every delivery once, oldest first, with its body, while more are created', async () => {
    const account = 'acc_walk';
    const target = fixture.receiver.target();
    for (let n = 0; n < 130; n++) await fixture.change(account, target.url, { jobId: `job_${n}` });
    const walk = (pageToken: string) => fixture.webhooks.walkDeliveries({ pageToken }, fixture.as(account));
    const first = await walk('');
    await fixture.change(account, target.url, { jobId: 'job_130' });
    const second = await walk(first.nextPageToken);
    assert.equal(second.nextPageToken, '');
    const jobs = [...first.deliveries, ...second.deliveries].map(
      ({ body }) => JSON.parse(body ?? '').data.id,
    );
    assert.deepEqual(
      jobs,
      Array.from({ length: 131 }, (_, n) => `job_${n}`),
    );
    const others = await fixture.webhooks.walkDeliveries({ pageToken: '' }, fixture.as('acc_nobody'));
    assert.deepEqual(others.deliveries, []);
    await assert.rejects(walk('x'), /pageToken/);
  });
});
