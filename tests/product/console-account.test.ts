/**
 * How the console handles an account as a whole: its data is exported, the account is closed and restored.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { type Browser, codeOf, signUp } from '../harness/installation/console.fixture.ts';
import { aSplit, DAY_MS } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const CONFIRMATION = 'DELETE MY ACCOUNT';

describe('the account in the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  const account = (browser: Browser) => browser.read('account.get');

  test('an export: requested, created, downloaded, and no second one that day', async () => {
    const browser = await signUp(api.url);
    const started = await browser.change('account.createExport', { format: 'csv' });
    assert.equal(started.status, 'processing');
    const latest = async () => (await browser.read('account.exports', {})).data[0];
    await until(async () => (await latest()).status === 'completed', 'the export is made');
    const { format, downloadUrl, sizeBytes } = await latest();
    assert.equal(format, 'csv');
    const file = await (await fetch(downloadUrl)).bytes();
    assert.equal(Buffer.from(file).toString('latin1', 0, 2), 'PK');
    assert.equal(file.length, sizeBytes);
    assert.equal(codeOf(await browser.mutate('account.createExport', {})), 'EXPORT_TOO_FREQUENT');
  });

  test('closed with the exact confirmation: afterwards only a restore is possible', async () => {
    const browser = await signUp(api.url);
    const wrong = await browser.mutate('account.remove', { confirmation: 'delete' });
    assert.equal(codeOf(wrong), 'INVALID_PARAMS');
    const { deletionScheduledAt } = await browser.change('account.remove', { confirmation: CONFIRMATION });
    assert.ok(Date.parse(deletionScheduledAt) - Date.now() <= 30 * DAY_MS);
    assert.equal((await account(browser)).deletionScheduledAt, deletionScheduledAt);

    assert.ok((await account(browser)).isClosed, 'at once');
    for (const answer of [
      await browser.query('jobs.list', {}),
      await browser.query('account.exports', {}),
      await browser.mutate('jobs.create', aSplit),
      await browser.mutate('account.createExport', {}),
    ])
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'ACCOUNT_PENDING_DELETION']);
    assert.equal((await browser.send('GET', '/console/archives/job_none', {})).status, 403);

    assert.equal((await browser.mutate('account.restore')).status, 200);
    assert.equal('deletionScheduledAt' in (await account(browser)), false);
    await until(async () => {
      api.advance(1_000);
      return !(await account(browser)).isClosed;
    }, 'the gateway has heard of it');
    assert.equal((await browser.query('jobs.list', {})).status, 200);
  });
});
