/** The operators' console as a browser uses it: real services on a real Postgres, on a separate listener. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { operatorsRouter } from '@audiosplit/gateway/operators/router';
import { TOPICS } from '@audiosplit/proto/topics';
import { assertTextRule, codeOf, signUp } from '../harness/installation/console.fixture.ts';
import { DAY_MS } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import {
  FAILING_GROUP,
  OPERATOR,
  OPERATOR_SECRET,
  startOperatorsFixture,
} from '../harness/operators.fixture.ts';

const WHY = 'ticket 4711';
const PROCEDURES = [
  'acts.list',
  'jobs.queue',
  'jobs.workers',
  'jobs.stuck',
  'bus.queues',
  'mails.list',
  'session.get',
];
const queue = { group: FAILING_GROUP, topic: TOPICS.accounts };

describe("the operators' console", () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));
  const operators = forSuite(() => startOperatorsFixture(api));

  test('without a session every procedure is rejected', async () => {
    const browser = operators.openBrowser();
    for (const path of PROCEDURES) assert.equal((await browser.query(path)).status, 401, path);
    for (const { status } of [
      await browser.mutate('bus.replay', { ...queue, count: 1, reason: WHY }),
      await browser.mutate('accounts.changeOverrides', { accountId: 'acc_1', changes: [], reason: WHY }),
    ])
      assert.equal(status, 401);
  });

  test('mails that were written to a folder are shown, with links that work', async () => {
    const browser = await operators.signIn();
    assert.equal((await browser.read('session.get')).hasMails, true);
    const account = await (await signUp(api.url)).read('account.get');
    let text = '';
    await until(async () => {
      const mails: { to: string; text: string }[] = await browser.read('mails.list');
      text = mails.find(({ to }) => to === account.email)?.text ?? '';
      return text !== '';
    }, 'the mail of the registration');
    const [, token] = /\/verify#(\S+)/.exec(text) ?? [];
    assert.equal((await api.call('POST /auth/verify', {}, { token })).status, 204);
  });

  test('a secret signs in only with its own name, in a cookie that no script can read', async () => {
    const browser = operators.openBrowser();
    for (const [operator, secret] of [
      [OPERATOR, `${OPERATOR_SECRET}.`],
      ['ken', OPERATOR_SECRET],
      ['nobody', OPERATOR_SECRET],
      [OPERATOR, ''],
    ]) {
      const refused = await browser.mutate('session.signIn', { operator, secret });
      assert.deepEqual([refused.status, codeOf(refused)], [401, 'UNAUTHORIZED']);
    }
    assert.equal(browser.jar.size, 0);
    const own = { operator: OPERATOR, secret: OPERATOR_SECRET };
    const { headers } = await browser.mutate('session.signIn', own);
    assert.match(headers.getSetCookie()[0] ?? '', /; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
    const { operator, links } = await browser.read('session.get');
    assert.equal(operator, OPERATOR);
    assert.equal(links[0].name, 'Grafana');
    assert.equal((await browser.mutate('session.signOut')).status, 200);
    assert.equal((await browser.query('session.get')).status, 401);
  });

  test('behind TLS only that host, over TLS, receives the cookie, and the browser stays on https', async () => {
    const byHttps = { 'x-forwarded-proto': 'https' };
    const browser = operators.openBrowser();
    const own = { operator: OPERATOR, secret: OPERATOR_SECRET };
    const signedIn = await browser.mutate('session.signIn', own, byHttps);
    const begins =
      /^__Host-audiosplit_operator=[^;]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/;
    assert.match(signedIn.headers.getSetCookie()[0] ?? '', begins);
    assert.equal((await browser.send('GET', '/trpc/session.get', byHttps)).status, 200);
    assert.equal((await browser.query('session.get')).status, 401);
    const signedOut = await browser.mutate('session.signOut', undefined, byHttps);
    assert.match(signedOut.headers.getSetCookie()[0] ?? '', /^__Host-audiosplit_operator=;.*; Secure$/);

    for (const path of ['/', '/healthz', '/trpc/session.get', '/nothing']) {
      const policyOf = async (headers: Record<string, string>) =>
        (await fetch(new URL(path, operators.url), { headers })).headers.get('strict-transport-security');
      assert.equal(await policyOf(byHttps), 'max-age=31536000', path);
      assert.equal(await policyOf({ 'x-forwarded-proto': 'http' }), null, path);
      assert.equal(await policyOf({}), null, path);
    }
  });

  test('guesses of secrets are limited', async () => {
    api.advance(60_000);
    const statuses = new Set<number>();
    for (let n = 0; n < 11; n += 1) {
      const guess = { operator: 'x', secret: 'x' };
      statuses.add((await operators.openBrowser().mutate('session.signIn', guess)).status);
    }
    assert.deepEqual([...statuses], [401, 429]);
    api.advance(60_000);
  });

  test('a session ends after eight hours', async () => {
    const browser = await operators.signIn();
    api.advance(8 * 3_600_000 + 1_000);
    assert.equal((await browser.query('session.get')).status, 401);
  });

  test('requests from another site, or from another program on this machine, are rejected', async () => {
    const browser = await operators.signIn();
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    ]) {
      const { status } = await browser.mutate('bus.replay', { ...queue, count: 1, reason: WHY }, headers);
      assert.equal(status, 400);
    }
    const form = await browser.send('POST', '/trpc/session.signOut', { 'content-type': 'application/json' });
    assert.equal(form.status, 400);
  });

  test('the public listener does not serve it, and it does not serve the public routes', async () => {
    const { jar } = await operators.signIn();
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const publicly = (path: string) => fetch(new URL(path, api.url), { headers: { cookie } });
    for (const procedure of PROCEDURES) {
      assert.equal((await publicly(`/trpc/${procedure}`)).status, 404, procedure);
      const { status } = await publicly(`/console/trpc/${procedure}`);
      assert.ok(status === 401 || status === 404, `${procedure} ${status}`);
    }
    for (const path of ['/splitters', '/bus', '/accounts', '/operators'])
      assert.equal((await publicly(path)).status, 404, path);
    const customer = await signUp(api.url);
    for (const procedure of PROCEDURES.filter((each) => each !== 'session.get'))
      assert.equal((await customer.query(procedure)).status, 404, procedure);
    for (const path of ['/api/v1/splits', '/docs', '/console/trpc/jobs.list', '/openapi.json', '/readyz'])
      assert.equal((await fetch(new URL(path, operators.url))).status, 404, path);
    assert.equal((await fetch(new URL('/healthz', operators.url))).status, 200);
  });

  test('the queue shows its leases and its stalled jobs', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    const [first = '', second = ''] = [await ada.create(), await ada.create(), await ada.create()];
    await api.claim(first);
    const age = "update jobs.jobs set dispatched_at = now() - interval '5 minutes' where id = $1";
    await api.sql.query(age, [second]);

    const { queued, processing, runnable, accounts } = await browser.read('jobs.queue');
    assert.deepEqual([queued, processing, runnable], [2, 1, 1]);
    assert.equal(accounts.length, 1);
    assert.deepEqual([accounts[0].accountId, accounts[0].concurrentJobs], [ada.accountId, 2]);
    const { workers, leases, leaseCount } = await browser.read('jobs.workers');
    assert.deepEqual([workers[0].workerId, workers[0].leaseCount, leaseCount], ['worker', 1, 1]);
    assert.deepEqual([leases[0].jobId, leases[0].part, leases[0].attempt], [first, null, 1]);
    const { jobs } = await browser.read('jobs.stuck');
    assert.deepEqual([jobs.length, jobs[0].jobId, jobs[0].reason], [1, second, 'notTaken']);
  });

  test('a dead letter: counted, inspected, and replayed to its group once that is fixed', async () => {
    const browser = await operators.signIn();
    const { accountId } = await api.register();
    await operators.letFail(accountId);
    const queueOf = async () =>
      (await browser.read('bus.queues')).find((each: { group: string }) => each.group === FAILING_GROUP);
    await until(async () => (await queueOf()).letters > 0, 'the letter is there');
    const letters = await browser.read('bus.letters', queue);
    const letter = letters.find(({ key }: { key: string }) => key === accountId);
    assert.equal(letter.error, 'the warehouse has no table "accounts"');
    assert.match(letter.name, /^accountRegistered evt_/);
    assert.equal(JSON.parse(letter.json).event.accountId, accountId);

    operators.mendGroup();
    const { replayed } = await browser.change('bus.replay', { ...queue, count: 100, reason: WHY });
    assert.equal(replayed, letters.length);
    await until(() => operators.handled.includes(accountId), 'the group has handled it');
    assert.equal((await queueOf()).letters, 0);
    assert.equal((await browser.query('bus.letters', { ...queue, group: 'nobody' })).status, 404);
  });

  test('an account: found, given higher limits, and reset to its plan', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    const find = async (query: string) => (await browser.read('accounts.find', { query })).accounts;
    await until(async () => (await find(ada.accountId)).length === 1, 'billing has heard of the account');
    const [found] = await find(ada.accountId);
    assert.deepEqual((await find(found.email.toUpperCase())).length, 1);

    const change = (changes: object[]) =>
      browser.mutate('accounts.changeOverrides', { accountId: ada.accountId, changes, reason: WHY });
    assert.equal((await change([{ figure: 'requestsPerMinute', value: 77 }])).status, 200);
    const { figures } = await browser.read('accounts.get', { accountId: ada.accountId });
    const changed = { figure: 'requestsPerMinute', ofPlan: 10, override: 77, effective: 77 };
    assert.deepEqual(figures[0], changed);
    assert.deepEqual((await find(''))[0].overrides, [{ figure: 'requestsPerMinute', value: 77 }]);
    await change([{ figure: 'requestsPerMinute', value: null }]);
    assert.deepEqual(await find(''), []);

    const { status, body } = await change([{ figure: 'concurrentJobs', value: 0 }]);
    assert.deepEqual([status, body.error.data.api.details[0].field], [400, 'concurrentJobs']);
    assert.equal((await change([{ figure: 'price', value: 1 }])).status, 400);
  });

  test('the clock of an account moves forward, and due events happen', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    const subscription = await ada.subscribe('plan_pro');
    const { clock } = await browser.read('accounts.get', { accountId: ada.accountId });
    const now = new Date(Date.parse(clock) + 40 * DAY_MS).toISOString();
    await browser.change('accounts.moveClock', { accountId: ada.accountId, now, reason: WHY });
    const account = await browser.read('accounts.get', { accountId: ada.accountId });
    assert.equal(account.plan, 'Pro');
    assert.ok(account.periodEnd > subscription.currentPeriodEnd);
    const back = await browser.mutate('accounts.moveClock', {
      accountId: ada.accountId,
      now: clock,
      reason: WHY,
    });
    assert.equal(back.status, 400);
  });

  test('every act is recorded with its operator, including rejected ones', async () => {
    const browser = await operators.signIn();
    const before = operators.audit().length;
    const change = (value: number) => ({
      accountId: 'acc_audited',
      changes: [{ figure: 'concurrentJobs', value }],
      reason: WHY,
    });
    await browser.mutate('accounts.changeOverrides', change(3));
    await browser.mutate('accounts.changeOverrides', change(0));
    await browser.read('jobs.queue');
    await operators.openBrowser().mutate('session.signIn', { operator: 'mallory', secret: 'guess' });
    const lines = operators.audit().slice(before);
    assert.deepEqual(
      lines.map(({ operator, action, outcome }) => [operator, action, outcome]),
      [
        [OPERATOR, 'accounts.changeOverrides', 'done'],
        [OPERATOR, 'accounts.changeOverrides', 'INVALID_PARAMS'],
        ['mallory', 'session.signIn', 'UNAUTHORIZED'],
      ],
    );
    assert.deepEqual(lines[0]?.input, change(3));
    assert.equal(JSON.stringify(operators.audit()).includes(OPERATOR_SECRET), false);
  });

  test('an account shows its jobs, usage and invoices, and is found by the id of a job', async () => {
    const browser = await operators.signIn();
    const ada = await api.register();
    const failed = await ada.create();
    await api.fail(failed);
    await api.complete(await ada.create());
    const found = await browser.read('accounts.find', { query: failed });
    assert.deepEqual([found.job.id, found.job.error.code], [failed, 'SOURCE_TIMEOUT']);
    assert.equal(found.accounts[0].accountId, ada.accountId);
    assert.equal((await browser.read('accounts.find', { query: 'job_none' })).job, null);

    const { data, pagination } = await browser.read('jobs.ofAccount', { accountId: ada.accountId, page: 1 });
    assert.equal(pagination.total, 2);
    assert.deepEqual([data[0].status, data[0].sourceDurationMs], ['completed', 90_600]);
    const account = () => browser.read('accounts.get', { accountId: ada.accountId });
    await until(async () => (await account()).usage.usage.jobsCompleted === 1, 'the job is counted');
    assert.equal((await account()).usage.usage.minutesProcessed, 2);
    await ada.subscribe('plan_starter');
    const { usage, invoices } = await account();
    assert.equal(usage.cost.total, 900);
    assert.deepEqual([invoices.length, invoices[0].status, invoices[0].amount], [1, 'paid', 900]);
    assert.match(invoices[0].lines[0].description, /^Starter plan/);
  });

  test('every procedure rejects text that cannot be stored, with the name of its field', async () => {
    await assertTextRule(operatorsRouter, await operators.signIn());
  });
});
