/** What the console shows of webhooks: the secret, the deliveries with their responses, and a redelivery. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { codeOf, signUp } from '../harness/installation/console.fixture.ts';
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

  test('the endpoint of the account: none, set, tested, removed', async () => {
    const browser = await signUp(api.url);
    assert.equal(await browser.read('webhooks.endpoint'), null);
    assert.equal(codeOf(await browser.mutate('webhooks.test')), 'NOT_FOUND');
    const bad = await browser.mutate('webhooks.setEndpoint', { url: 'https://a:b@example.com/' });
    assert.equal(codeOf(bad), 'INVALID_PARAMS');
    const events = ['split.failed'];
    await browser.change('webhooks.setEndpoint', { url: api.hookUrl, events });
    const set = await browser.read('webhooks.endpoint');
    assert.deepEqual([set.url, set.events], [api.hookUrl, events]);
    await browser.change('webhooks.test');
    const pinged = async () => (await browser.read('webhooks.deliveries', {})).data[0];
    await until(async () => (await pinged())?.status === 'delivered', 'the ping');
    const { type, body } = await pinged();
    assert.deepEqual([type, JSON.parse(body).type], ['ping', 'ping']);
    await browser.change('webhooks.removeEndpoint');
    assert.equal(await browser.read('webhooks.endpoint'), null);
  });

  test('a delivery: its attempts with their responses, and another one on request', async () => {
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
