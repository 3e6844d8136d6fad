/**
 * The console's back end as a browser uses it: real services on a real Postgres, with cookies, and without
 * the API's headers.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { readConsolePages } from '@audiosplit/gateway/console/pages';
import { raw } from '../harness/accounts/raw.ts';
import {
  type Browser,
  codeOf,
  newCredentials,
  openBrowser,
  signUp as signUpAt,
} from '../harness/installation/console.fixture.ts';
import { aSplit } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const HOUR_MS = 3_600_000;
/** The identity that a gateway sends with each call is valid for two minutes. */
const LONGER_THAN_AN_IDENTITY_MS = 130_000;

describe('the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  const signUp = () => signUpAt(api.url);
  const createJob = async (browser: Browser): Promise<string> =>
    (await browser.change('jobs.create', aSplit)).id;

  test('signing up signs in, with tokens that only the browser holds', async () => {
    const browser = openBrowser(api.url);
    const credentials = newCredentials();
    const signedUp = await browser.change('session.signUp', credentials);
    assert.deepEqual(Object.keys(signedUp).sort(), ['account', 'expiresIn']);
    assert.deepEqual([...browser.jar.keys()].sort(), [
      'audiosplit_access',
      'audiosplit_device',
      'audiosplit_refresh',
    ]);

    const account = await browser.read('account.get');
    assert.equal(account.email, credentials.email);
    assert.equal(account.plan.name, 'Free');

    const elsewhere = openBrowser(api.url);
    assert.equal((await elsewhere.mutate('session.signIn', credentials)).status, 200);
    const wrong = await elsewhere.mutate('session.signIn', { ...credentials, password: 'something else' });
    assert.deepEqual([wrong.status, codeOf(wrong)], [401, 'UNAUTHORIZED']);
  });

  test('an invalid input is reported field by field, as by the API', async () => {
    const wrong = { email: 'no address', password: 'short' };
    const { status, body } = await openBrowser(api.url).mutate('session.signUp', wrong);
    const { code, details } = body.error.data.api;
    assert.deepEqual([status, code], [400, 'INVALID_PARAMS']);
    assert.deepEqual(details.map(({ field }: { field: string }) => field).sort(), ['email', 'password']);
  });

  test("the cookies are not a credential of the API, and the API's credentials are not valid in the console", async () => {
    const browser = await signUp();
    assert.equal((await browser.send('GET', '/api/v1/account', {})).status, 401);
    const ada = await api.register();
    const { status } = await raw(api.url, 'GET /console/trpc/jobs.list', { apiKey: ada.apiKey });
    assert.equal(status, 401);
  });

  test('a request from another site changes nothing', async () => {
    const browser = await signUp();
    const foreign = await browser.mutate('jobs.create', aSplit, {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    });
    assert.equal(foreign.status, 400);
    assert.equal((await browser.read('jobs.list', {})).pagination.total, 0);
  });

  test('an expired access token is renewed, in two tabs at once, and the session continues', async () => {
    const browser = await signUp();
    api.advance(HOUR_MS + 1_000);
    const ended = await browser.query('account.get');
    assert.equal(ended.status, 401);
    assert.equal(ended.body.error.data.code, 'UNAUTHORIZED');

    const both = await Promise.all([browser.mutate('session.renew'), browser.mutate('session.renew')]);
    for (const { status } of both) assert.equal(status, 200);
    assert.equal((await browser.query('account.get')).status, 200);
    assert.equal((await browser.mutate('session.renew')).status, 200);
  });

  test('signing out ends the session, not only its cookies', async () => {
    const browser = await signUp();
    const refreshToken = browser.jar.get('audiosplit_refresh') ?? '';
    assert.equal((await browser.mutate('session.signOut')).status, 200);
    assert.deepEqual([...browser.jar.keys()], ['audiosplit_device'], 'the browser stays known');
    browser.jar.set('audiosplit_refresh', refreshToken);
    assert.equal((await browser.mutate('session.renew')).status, 401);
  });

  test('a job from its creation to its segments', async () => {
    const browser = await signUp();
    const jobId = await createJob(browser);
    const listed = await browser.read('jobs.list', { status: 'queued' });
    assert.equal(listed.data[0].sourceName, 'talk.mp3');

    const { signal } = new AbortController();
    const events = browser.follow('jobs.follow', { jobId }, signal);
    const first = events.next();
    await api.complete(jobId);
    let { value } = await first;
    // The stream may read the job between the claim and the end.
    if (value?.id === '0') ({ value } = await events.next());
    assert.equal(value?.id, '101');
    assert.deepEqual(value?.data, { status: 'completed', progress: 100, isOver: true });
    assert.equal((await events.next()).done, true);

    const job = await browser.read('jobs.get', { jobId });
    assert.deepEqual([job.segments[0].startTime, job.segments[1].startTime, job.segments.length], [0, 60, 2]);
    const segment = await fetch(job.segments[0].downloadUrl);
    assert.equal(await segment.text(), 'first segment');
    const archive = await browser.send('GET', `/console/archives/${jobId}`, {});
    assert.equal(archive.headers.get('content-type'), 'application/zip');
    assert.equal((await archive.bytes()).length, Number(archive.headers.get('content-length')));
  });

  test('a job that takes longer than an internal identity is valid is followed to its end', async () => {
    const browser = await signUp();
    const jobId = await createJob(browser);
    const events = browser.follow('jobs.follow', { jobId }, AbortSignal.timeout(30_000));
    const first = events.next();
    const claimed = await api.claim(jobId);
    const fetching = { fetchedBytes: 0 };
    const data = { status: 'processing', progress: 0, phase: 'fetching', fetching, isOver: false };
    assert.deepEqual((await first).value?.data, data);
    api.advance(LONGER_THAN_AN_IDENTITY_MS);
    await api.finish(claimed);
    assert.deepEqual((await events.next()).value?.data, { status: 'completed', progress: 100, isOver: true });
  });

  test('jobs are found by name, address or id, page by page', async () => {
    const browser = await signUp();
    const ids = [await createJob(browser), await createJob(browser)];
    await api.complete(ids[0] ?? '');
    const search = async (input: object) => {
      const given = { text: 'TALK', limit: 1, ...input };
      const { data, nextPageToken } = await browser.read('jobs.search', given);
      return { ids: data.map(({ id }: { id: string }) => id), pageToken: nextPageToken };
    };
    const first = await search({});
    assert.deepEqual(first.ids, [ids[1]]);
    assert.deepEqual(await search({ pageToken: first.pageToken }), { ids: [ids[0]], pageToken: undefined });
    assert.deepEqual((await search({ status: 'completed' })).ids, [ids[0]]);
    assert.deepEqual((await search({ text: 'lecture' })).ids, []);
    const refused = await browser.query('jobs.search', { text: '', limit: 1 });
    assert.equal(codeOf(refused), 'INVALID_PARAMS');
  });

  test('a client that has seen the end receives no more events', async () => {
    const browser = await signUp();
    const jobId = await createJob(browser);
    await api.complete(jobId);
    const { signal } = new AbortController();
    const events = browser.follow('jobs.follow', { jobId, lastEventId: '101' }, signal);
    assert.equal((await events.next()).done, true);
  });

  test('a failed job runs again with the same request', async () => {
    const browser = await signUp();
    const jobId = await createJob(browser);
    await api.fail(jobId);
    const listed = await browser.read('jobs.list', { status: 'failed' });
    assert.equal(listed.data[0].error.code, 'SOURCE_TIMEOUT');
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await browser.mutate('jobs.retry', { jobId }, headers);
    const repeated = await browser.mutate('jobs.retry', { jobId }, headers);
    assert.equal(repeated.body.result.data.id, body.result.data.id);
    const again = await browser.read('jobs.get', { jobId: body.result.data.id });
    assert.partialDeepStrictEqual(again, { status: 'queued', ...aSplit });
  });

  test('a job whose source needs headers runs again only if they are given again', async () => {
    const browser = await signUp();
    const sourceHeaders = { Authorization: 'Bearer planted', 'X-Team': 'audio' };
    const { id: jobId } = await browser.change('jobs.create', { ...aSplit, sourceHeaders });
    await api.fail(jobId);
    const [listed] = (await browser.read('jobs.list', {})).data;
    assert.deepEqual(listed.sourceHeaderNames, ['authorization', 'x-team']);

    const without = await browser.mutate('jobs.retry', { jobId });
    assert.deepEqual([without.status, codeOf(without)], [400, 'INVALID_PARAMS']);
    assert.deepEqual(without.body.error.data.api.details, [
      { field: 'sourceHeaders', message: 'must be given again: authorization, x-team' },
    ]);
    const wrong = await browser.mutate('jobs.retry', { jobId, sourceHeaders: { Host: 'a' } });
    assert.deepEqual([wrong.status, codeOf(wrong)], [400, 'INVALID_PARAMS']);
    assert.equal((await browser.read('jobs.list', {})).pagination.total, 1, 'no job is made that would fail');

    const again = await browser.change('jobs.retry', { jobId, sourceHeaders });
    const claim = { jobId: again.id, workerId: 'worker', sendsSourceHeaders: true };
    assert.deepEqual((await api.leases.claimJob(claim)).sourceHeaders, {
      authorization: 'Bearer planted',
      'x-team': 'audio',
    });
    const open = await browser.change('jobs.retry', { jobId, sourceHeaders: {} });
    assert.equal(open.sourceHeaderNames, undefined, 'the source may want none any more');
  });

  test('a repeated mutation happens once', async () => {
    const browser = await signUp();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await browser.mutate('jobs.create', aSplit, headers);
    const second = await browser.mutate('jobs.create', aSplit, headers);
    assert.equal(second.body.result.data.id, first.body.result.data.id);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });

  test('jobs of another account are not found', async () => {
    const jobId = await createJob(await signUp());
    const other = await signUp();
    assert.deepEqual((await other.read('jobs.search', { text: jobId, limit: 1 })).data, []);
    const answers = [
      await other.query('jobs.get', { jobId }),
      await other.mutate('jobs.retry', { jobId }),
      await other.mutate('jobs.remove', { jobId }),
    ];
    for (const answer of answers) assert.deepEqual([answer.status, codeOf(answer)], [404, 'JOB_NOT_FOUND']);
    assert.equal((await other.send('GET', `/console/archives/${jobId}`, {})).status, 404);
  });

  test("the page of a missing job, or of another account's job, returns 404", async () => {
    await using stack = new AsyncDisposableStack();
    const { path: folder } = stack.use(await temporaryFolder());
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>audiosplit</title>');
    const pages = await readConsolePages(folder);
    const api = stack.use(await startInstallation({ kind: 'scripted', pages }));
    const signUp = () => signUpAt(api.url);
    const browser = await signUp();
    const jobId = await createJob(browser);
    const statusOf = async (visitor: Browser, path: string) => (await visitor.send('GET', path, {})).status;
    assert.equal(await statusOf(browser, `/jobs/${jobId}`), 200);
    assert.equal(await statusOf(browser, '/jobs/job_none'), 404);
    assert.equal(await statusOf(await signUp(), `/jobs/${jobId}`), 404);
    // A caller who has not signed in learns nothing from a request.
    const stranger = openBrowser(api.url);
    assert.equal(await statusOf(stranger, `/jobs/${jobId}`), 200);
    assert.equal(await statusOf(stranger, '/jobs/job_none'), 200);
    stranger.jar.set('audiosplit_access', 'forged');
    assert.equal(await statusOf(stranger, '/jobs/job_none'), 200);
  });

  test('keys: the secret once, other scopes, a new secret on request, and none after revocation', async () => {
    const browser = await signUp();
    const made = await browser.change('keys.create', { name: 'CI', scopes: ['splits:read'] });
    const use = (key: string) => api.call('GET /splits', { 'x-api-key': key });
    assert.equal((await use(made.key)).status, 200);
    const [listed] = (await browser.read('keys.list', {})).data;
    assert.equal(listed.name, 'CI');
    assert.equal('key' in listed, false);

    const change = { keyId: made.id, name: 'Nightly', scopes: ['splits:read', 'splits:write'] };
    const changed = await browser.change('keys.update', change);
    assert.deepEqual([changed.name, changed.scopes], [change.name, change.scopes]);
    assert.equal(changed.expiresAt, null);
    const nothing = await browser.mutate('keys.update', { keyId: made.id, scopes: [] });
    assert.equal(codeOf(nothing), 'INVALID_PARAMS');

    const rotated = await browser.change('keys.rotate', { keyId: made.id });
    api.advance(1_000);
    assert.equal((await use(rotated.key)).status, 200);
    assert.equal((await use(made.key)).status, 401);
    await browser.mutate('keys.revoke', { keyId: made.id });
    api.advance(1_000);
    assert.equal((await use(rotated.key)).status, 401);
  });

  test('usage is reported by day', async () => {
    const browser = await signUp();
    await api.complete(await createJob(browser));
    const usage = () => browser.read('account.usage', { period: 'current' });
    let report = await usage();
    await until(async () => {
      report = await usage();
      return report.days.length > 0 && report.usage.minutesProcessed > 0;
    }, 'the minutes are counted');
    const [{ day, seconds, jobsCompleted }] = report.days;
    assert.match(day, /^\d{4}-\d\d-\d\d$/);
    assert.equal(seconds, 90.6);
    assert.equal(jobsCompleted, 1);
    assert.equal(report.usage.minutesProcessed, 2);
  });

  test('concurrent queries share a request, and one that fails does not affect the others', async () => {
    const browser = await signUp();
    const input = { 1: { jobId: 'job_none' } };
    const path = `/console/trpc/account.get,jobs.get?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
    const [account, job] = JSON.parse(await (await browser.send('GET', path, {})).text());
    assert.equal(account.result.data.plan.name, 'Free');
    assert.equal(job.error.data.api.code, 'JOB_NOT_FOUND');
  });
});

describe('limits of the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted', isLimited: true }));

  test('changes count against the plan, reads do not', async () => {
    const browser = openBrowser(api.url);
    await browser.mutate('session.signUp', newCredentials());
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      statuses.push((await browser.mutate('jobs.cancel', { jobId: 'job_none' })).status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(404), 429]);
    const refused = await browser.mutate('jobs.cancel', { jobId: 'job_none' });
    assert.equal(codeOf(refused), 'RATE_LIMITED');
    assert.ok(refused.body.error.data.api.retryAfter > 0);
    const read = await browser.query('jobs.list', {});
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('x-ratelimit-limit'), '240');
  });
});
