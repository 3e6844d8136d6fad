/**
 * Batches through the API and in the console's back end: all services on a real Postgres; the test plays the
 * splitter.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type Browser, codeOf, signUp as signUpAt } from '../harness/installation/console.fixture.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const settings = { splitMode: 'duration', segmentDuration: 60 };
const WRONG = {
  1: 'no link',
  500: 'ftp://example.com/500.mp3',
  999: 'https://me:secret@example.com/999.mp3',
} as const;

/** More jobs than may run at once. */
const COMPLETED = 60;

const linksOf = (count: number) => Array.from({ length: count }, (_, n) => `https://example.com/${n}.mp3`);

const thousandLinks = () => {
  const sources = linksOf(1_000);
  for (const [place, source] of Object.entries(WRONG)) sources[Number(place)] = source;
  return sources;
};

describe('a batch', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));
  const signUp = () => signUpAt(api.url);
  const createIn = async (browser: Browser, count: number) => {
    const { id, jobs } = await browser.change('batches.create', { sources: linksOf(count), settings });
    return { batchId: id as string, jobIds: jobs.map(({ jobId }: { jobId: string }) => jobId) as string[] };
  };
  const namesOf = ({ data }: { data: { sourceName: string }[] }) => data.map(({ sourceName }) => sourceName);

  test('of 1,000 links with 3 bad ones: 997 run, and 3 show their error', async () => {
    const account = await api.register();
    await account.subscribe('plan_enterprise');
    const body = { sources: thousandLinks(), settings };
    const { status, body: created } = await account.withKey('POST /batches', body);
    assert.equal(status, 201, JSON.stringify(created));
    assert.deepEqual(created.refused, [
      { index: 1, message: 'must be a URL that begins with http:// or https://' },
      { index: 500, message: 'must be a URL that begins with http:// or https://' },
      { index: 999, message: 'must not hold a user name or password' },
    ]);
    assert.equal(created.jobs.length, 997);
    for (const { jobId } of created.jobs.slice(0, COMPLETED)) await api.complete(jobId);
    const { body: running } = await account.withKey(`GET /batches/${created.id}`);
    const { id, createdAt } = created;
    const counts = { queued: 997 - COMPLETED, processing: 0, completed: COMPLETED, failed: 0, canceled: 0 };
    assert.deepEqual(running, { id, createdAt, total: 997, ...counts });
  });

  test('in the console: its jobs in the order of its sources, by state, with canceled ones separate from failed ones', async () => {
    const browser = await signUp();
    const { batchId, jobIds } = await createIn(browser, 4);
    const [first = '', second = '', third = ''] = jobIds;
    await api.complete(first);
    await api.fail(second);
    await browser.change('jobs.cancel', { jobId: third });
    const counts = { total: 4, queued: 1, processing: 0, completed: 1, failed: 1, canceled: 1 };
    assert.partialDeepStrictEqual(await browser.read('batches.get', { batchId }), counts);
    const list = (filter: object) => browser.read('batches.jobs', { batchId, ...filter });
    assert.deepEqual(namesOf(await list({})), ['talk.mp3', '1.mp3', '2.mp3', '3.mp3']);
    assert.deepEqual(namesOf(await list({ status: 'failed', canceled: false })), ['1.mp3']);
    assert.deepEqual(namesOf(await list({ status: 'failed', canceled: true })), ['2.mp3']);
    const lastPage = await list({ page: 2, limit: 3 });
    assert.deepEqual([namesOf(lastPage), lastPage.pagination.total], [['3.mp3'], 4]);
    const [failed] = (await list({ status: 'failed', canceled: false })).data;
    assert.deepEqual([failed.error.code, failed.batchId], ['SOURCE_TIMEOUT', batchId]);
  });

  test('in the console: failed jobs are retried, and one download contains the completed ones', async () => {
    const browser = await signUp();
    const { batchId, jobIds } = await createIn(browser, 2);
    const [first = '', second = ''] = jobIds;
    await api.complete(first);
    const early = await browser.query('batches.checkArchive', { batchId });
    assert.deepEqual([early.status, codeOf(early)], [409, 'JOB_NOT_COMPLETED']);
    await api.fail(second);
    await browser.change('batches.retry', { batchId });
    const [again] = (await browser.read('batches.jobs', { batchId, status: 'queued' })).data;
    assert.deepEqual([again.sourceName, again.id === second], ['1.mp3', false]);
    await browser.change('batches.cancel', { batchId });
    assert.equal(await browser.read('batches.checkArchive', { batchId }), null);
    const archive = await browser.send('GET', `/console/archives/batches/${batchId}`, {});
    assert.equal(archive.headers.get('content-type'), 'application/zip');
    assert.equal((await archive.bytes()).length, Number(archive.headers.get('content-length')));
  });

  test('in the console: 1,000 links as long as signed ones are accepted', async () => {
    const browser = await signUp();
    const sources = linksOf(900).map((link) => `${link}?signature=${'a'.repeat(400)}`);
    const { total } = await browser.change('batches.create', { sources, settings });
    assert.equal(total, 900);
  });

  test('of another account is not found', async () => {
    const { batchId } = await createIn(await signUp(), 1);
    const other = await signUp();
    const answers = [
      await other.query('batches.get', { batchId }),
      await other.query('batches.checkArchive', { batchId }),
      await other.mutate('batches.cancel', { batchId }),
      await other.mutate('batches.retry', { batchId }),
    ];
    for (const answer of answers) assert.deepEqual([answer.status, codeOf(answer)], [404, 'NOT_FOUND']);
    assert.deepEqual((await other.read('batches.jobs', { batchId })).data, []);
    assert.equal((await other.send('GET', `/console/archives/batches/${batchId}`, {})).status, 404);
  });
});

test('a batch in the console counts as many calls as it has sources', async () => {
  await using api = await startInstallation({ kind: 'scripted', isLimited: true });
  const browser = await signUpAt(api.url);
  await browser.change('batches.create', { sources: linksOf(20), settings });
  const next = await browser.mutate('batches.create', { sources: ['https://example.com/a.mp3'], settings });
  assert.deepEqual([next.status, codeOf(next)], [429, 'RATE_LIMITED']);
});
