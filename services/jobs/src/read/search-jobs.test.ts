import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { searchJobs } from './search-jobs.ts';

const ADA = 'acc_ada';

describe('a search for jobs', () => {
  const fixture = forSuite(startJobsFixture);

  async function createJob(url: string, accountId = ADA, sourceFileName?: string): Promise<string> {
    const { job } = await fixture.jobs.createJob(aSplit(url), fixture.as(accountId));
    const id = job?.id ?? '';
    if (sourceFileName !== undefined)
      await fixture.sql.query('update jobs set source_file_name = $2 where id = $1', [id, sourceFileName]);
    return id;
  }

  async function find(
    text: string,
    request: { status?: JobStatus; accountId?: string; canceled?: boolean } = {},
  ) {
    const { accountId = ADA, status = JobStatus.UNSPECIFIED, canceled } = request;
    const found = await fixture.jobs.searchJobs(
      { text, status, limit: 100, ...(canceled === undefined ? {} : { canceled }) },
      fixture.as(accountId),
    );
    assert.equal(found.nextPageToken, '');
    return found.jobs.map(({ id }) => id);
  }

  test('finds any part of the name, the address or the id, newest first', async () => {
    const talk = await createJob('https://media.example.com/2026/talk.mp3', ADA, 'Board meeting (März).mp3');
    const show = await createJob('https://cdn.example.com/shows/talk-show.wav?signature=abcdef');
    assert.deepEqual(await find('talk'), [show, talk]);
    assert.deepEqual(await find('  MEETING board '), [talk], 'all words, in any order');
    assert.deepEqual(await find('MÄRZ'), [talk], 'letters beyond ASCII have two cases as well');
    assert.deepEqual(await find('cdn.example.com/shows'), [show]);
    assert.deepEqual(await find('abcdef'), [], 'what signs an address is not part of it');
    assert.deepEqual(await find(talk.slice(8).toUpperCase()), [talk]);
    assert.deepEqual(await find('meeting show'), []);
  });

  test('finds encoded characters of an address by their decoded form', async () => {
    const job = await createJob('https://example.com/%C3%BCber%20das%20Meer.mp3');
    assert.deepEqual(await find('über'), [job]);
    assert.deepEqual(await find('über meer'), [job]);
  });

  test('takes the wildcards of LIKE literally', async () => {
    const percent = await createJob('https://example.com/a.mp3', ADA, '100% live.mp3');
    const underscore = await createJob('https://example.com/b.mp3', ADA, 'mix_final.mp3');
    const backslash = await createJob('https://example.com/c.mp3', ADA, String.raw`side\b.mp3`);
    await createJob('https://example.com/d.mp3', ADA, '1000 live, mix-final, side-b.mp3');
    assert.deepEqual(await find('100%'), [percent]);
    assert.deepEqual(await find('mix_final'), [underscore]);
    assert.deepEqual(await find(String.raw`side\b`), [backslash]);
  });

  test('is limited to the status and to the account', async () => {
    const canceled = await createJob('https://example.com/status.mp3');
    const queued = await createJob('https://example.com/status.mp3');
    await fixture.jobs.cancelJob({ jobId: canceled }, fixture.as(ADA));
    assert.deepEqual(await find('status.mp3', { status: JobStatus.FAILED }), [canceled]);
    assert.deepEqual(await find(canceled, { status: JobStatus.QUEUED }), []);
    assert.deepEqual(await find(queued, { status: JobStatus.QUEUED }), [queued]);
    assert.deepEqual(await find('status.mp3', { accountId: 'acc_other' }), []);
    assert.deepEqual(await find(queued, { accountId: 'acc_other' }), []);
  });

  test('distinguishes canceled jobs from failed ones', async () => {
    const accountId = 'acc_regret';
    const [canceled, failed] = [
      await createJob('https://example.com/a.mp3', accountId),
      await createJob('https://example.com/b.mp3', accountId),
    ];
    await createJob('https://example.com/c.mp3', accountId);
    await fixture.jobs.cancelJob({ jobId: canceled }, fixture.as(accountId));
    await fixture.sql.query(`update jobs set status = 'failed', error_code = 'TIMED_OUT' where id = $1`, [
      failed,
    ]);
    assert.deepEqual(await find('', { accountId, canceled: true }), [canceled]);
    assert.deepEqual(await find('', { accountId, canceled: false }), [failed]);
    assert.deepEqual(await find(failed, { accountId, canceled: true }), []);
    assert.deepEqual(await find('b.mp3', { accountId, canceled: false }), [failed]);
  });

  test('rejects an empty or too long text, and a page token of another search', async () => {
    const refused = (request: object) =>
      refusal(
        fixture.jobs.searchJobs({ text: 'a', limit: 10, ...request }, fixture.as(ADA)),
        'INVALID_PARAMS',
      );
    await refused({ text: '  ' });
    await refused({ text: 'x'.repeat(201) });
    await refused({ limit: 0 });
    await refused({ limit: 101 });
    await refused({ pageToken: "2026-01-01 00:00:00+00|' or true" });
  });

  test('continues page by page, each with a limited number of jobs read, while jobs are created and deleted', async () => {
    const accountId = 'acc_many';
    // Every third of 90 jobs, many of them at the same moment.
    await fixture.sql.query(
      `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, created_at)
       select 'job_' || md5(n::text), $1, 'queued',
         'https://example.com/' || case n % 3 when 0 then 'wanted' else 'other' end || n, 'duration', 1,
         '2026-03-01Z'::timestamptz + floor(n / 7) * interval '1 second' + interval '123 microseconds'
       from generate_series(1, 90) n`,
      [accountId],
    );
    const { rows } = await fixture.sql.query<{ id: string }>(
      `select id from jobs where account_id = $1 and source_url like '%wanted%' order by created_at desc, id desc`,
      [accountId],
    );
    for (const [limit, lookAt] of [
      [4, 100],
      [4, 10],
      [100, 7],
      [1, 1],
    ] as const) {
      const seen: string[] = [];
      let pageToken = '';
      do {
        const search = {
          accountId,
          text: 'wanted',
          status: undefined,
          canceled: undefined,
          limit,
          pageToken,
        };
        const page = await searchJobs(fixture.pool, search, lookAt);
        seen.push(...page.jobs.map(({ id }) => id));
        assert.ok(page.jobs.length <= limit);
        const hasEndedEarly = page.nextPageToken !== '' && page.jobs.length < limit;
        if (hasEndedEarly) assert.equal(page.lookedBackTo?.toISOString().slice(0, 10), '2026-03-01');
        // Newer than all pages after the first.
        if (pageToken === '') await createJob('https://example.com/wanted', accountId);
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      assert.deepEqual(
        seen.filter((id) => rows.some((row) => row.id === id)),
        rows.map(({ id }) => id),
      );
      assert.equal(new Set(seen).size, seen.length);
    }
  });
});
