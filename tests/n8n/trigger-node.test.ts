/** Tests the node “Audiosplit Trigger” through n8n's interfaces, against an installation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { PASSWORD, startObservedRun, WRONG_PASSWORD } from '../harness/installation/observed-run.ts';
import { AudiosplitTrigger, hookOf, NodeApiError, notificationOf } from './execution.fixture.ts';

const nodeType = new AudiosplitTrigger();
const { checkExists, create, delete: remove } = nodeType.webhookMethods.default;

describe('the node Audiosplit Trigger', () => {
  const run = forSuite(startObservedRun);
  const given = (password = PASSWORD) => ({
    nodeType,
    credentials: {
      audiosplitAccountApi: { baseUrl: `${run.baseUrl}/`, email: run.credentials.email, password },
    },
  });
  const hook = (path = '/hook/1') => hookOf(given(), `${run.receiver.url}${path}`);
  const endpoint = () => run.call('GET /api/v1/webhooks/endpoint', run.withToken);

  test('registers the endpoint of the account for completed splits, and removes it', async () => {
    assert.equal(await checkExists.call(hook()), false);
    assert.equal(await create.call(hook()), true);
    assert.equal(await checkExists.call(hook()), true);
    const { body } = await endpoint();
    assert.deepEqual([body.url, body.events], [`${run.receiver.url}/hook/1`, ['split.completed']]);
    assert.equal(await remove.call(hook()), true);
    assert.equal((await endpoint()).status, 404);
    assert.equal(await remove.call(hook()), true);
  });

  test('neither replaces nor removes an endpoint of another owner', async () => {
    await create.call(hook('/other/1'));
    await assert.rejects(create.call(hook()), /The account has an endpoint already/);
    assert.equal(await remove.call(hook()), true);
    assert.equal((await endpoint()).status, 200);
    await remove.call(hook('/other/1'));
  });

  test('passes on signed events, and rejects all others', async () => {
    await create.call(hook());
    const { id } = await run.split({ sourceUrl: `${run.baseUrl}/samples/tour.mp3` });
    const find = () =>
      run.receiver.received.find(({ body }) => body.includes(id) && body.includes('split.completed'));
    await until(() => find() !== undefined, 'the endpoint is notified');
    const { headers, body } = find() ?? assert.fail();
    const receive = async (changed: { headers?: object; body?: string } = {}) => {
      const notification = { headers: { ...headers, ...changed.headers }, body: changed.body ?? body };
      const { context, answer } = notificationOf(given(), notification);
      const { workflowData } = await nodeType.webhook.call(context);
      return { event: workflowData?.[0]?.[0]?.json, status: answer.status };
    };
    assert.deepEqual(await receive(), { event: JSON.parse(body), status: undefined });
    for (const forged of [
      { body: body.replace('completed', 'failed') },
      { headers: { 'webhook-signature': 'v1,AAAA' } },
      { headers: { 'webhook-timestamp': '1' } },
      { headers: { 'webhook-id': 'another' } },
    ])
      assert.deepEqual(await receive(forged), { event: undefined, status: 401 });
    await remove.call(hook());
  });

  test('shows no password if it is wrong', async () => {
    const hooked = hookOf(given(WRONG_PASSWORD), `${run.receiver.url}/hook/1`);
    const error: unknown = await create.call(hooked).catch((reason) => reason);
    assert.ok(error instanceof NodeApiError);
    assert.equal(error.message, 'Audiosplit refused the credential (UNAUTHORIZED)');
    assert.doesNotMatch(JSON.stringify(error) + String(error.stack), new RegExp(WRONG_PASSWORD));
  });
});
