/** Connections in the console: added, tested and deleted, with a secret that no response contains. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { codeOf, signUp } from '../harness/installation/console.fixture.ts';
import { aConnection, aSplit } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

describe('connections in the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  test('a connection: none, added, tested, and deleted', async () => {
    const browser = await signUp(api.url);
    const listed = async () => (await browser.read('connections.list')).data;
    assert.deepEqual(await listed(), []);
    const { secretAccessKey: _, ...shown } = aConnection('archive');
    const { id, createdAt, ...made } = await browser.change('connections.create', aConnection('archive'));
    assert.deepEqual(made, shown);
    assert.deepEqual(await listed(), [{ id, createdAt, ...shown }]);
    const tried = await browser.change('connections.test', { connectionId: id });
    assert.deepEqual(tried, { ok: true, checks: [{ action: 'list', ok: true }] });
    await browser.change('connections.remove', { connectionId: id });
    assert.deepEqual(await listed(), []);
  });

  test('errors are shown at their fields; a name is used once', async () => {
    const browser = await signUp(api.url);
    const wrong = { ...aConnection('Archive'), secretAccessKey: 'short' };
    const { body } = await browser.mutate('connections.create', wrong);
    const { code, details } = body.error.data.api;
    assert.equal(code, 'INVALID_PARAMS');
    const fields = details.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields.sort(), ['name', 'secretAccessKey']);
    await browser.change('connections.create', aConnection('archive'));
    const again = await browser.mutate('connections.create', aConnection('archive'));
    assert.equal(codeOf(again), 'CONNECTION_NAME_TAKEN');
  });

  test('a job writes to a connection of the account, which it then needs; those of others are not found', async () => {
    const [browser, other] = [await signUp(api.url), await signUp(api.url)];
    const { id } = await browser.change('connections.create', aConnection('archive'));
    const destination = { connection: 'archive', prefix: 'segments' };
    const job = await browser.change('jobs.create', { ...aSplit, destination, keepCopy: false });
    assert.deepEqual([job.destination, job.keepCopy], [destination, false]);
    const removal = await browser.mutate('connections.remove', { connectionId: id });
    assert.equal(codeOf(removal), 'CONNECTION_IN_USE');
    for (const call of ['test', 'remove'])
      assert.equal((await other.mutate(`connections.${call}`, { connectionId: id })).status, 404);
    assert.equal(codeOf(await other.mutate('jobs.create', { ...aSplit, destination })), 'INVALID_PARAMS');
  });
});
