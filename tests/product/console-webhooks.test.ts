/** What the console shows of webhooks: the secret, what was sent and with which answer, and the same once more. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { forSuite } from '../harness/for-suite.ts';
import { signUp } from '../harness/installation/console.fixture.ts';
import { aSplit } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

describe('webhooks in the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  test('the signing secret: shown, and replaced', async () => {
    const browser = await signUp(api.url);
    const shown = async () => (await browser.read('webhooks.secret')).secret;
    const first = await shown();
    assert.match(first, /^whsec_/);
    const { secret } = await browser.change('webhooks.rotateSecret');
    assert.notEqual(secret, first);
    assert.equal(await shown(), secret);
  });

  test('a delivery: its attempts with their answers, and another one on request', async () => {
    const browser = await signUp(api.url);
    const created = await browser.change('jobs.create', { ...aSplit, webhookUrl: api.hookUrl });
    await api.complete(created.id);
    const listed = async () => (await browser.read('webhooks.deliveries', {})).data;
    const completed = async () =>
      (await listed()).find(({ type }: { type: string }) => type === 'split.completed');
    await until(async () => (await completed())?.status === 'delivered', 'the delivery');
    const { id, url, attempts } = await completed();
    assert.equal(url, api.hookUrl);
    assert.deepEqual([attempts.length, attempts[0].statusCode, attempts[0].error], [1, 200, null]);

    const replayed = await browser.change('webhooks.replay', { deliveryId: id });
    assert.equal(replayed.id, id);
    await until(async () => (await completed()).attempts.length === 2, 'the second attempt');
    const other = await signUp(api.url);
    assert.equal((await other.mutate('webhooks.replay', { deliveryId: id })).status, 404);
  });
});
