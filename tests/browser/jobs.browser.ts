/**
 * Jobs as they progress, and how they are found again: real services, a splitter that the test plays, and
 * Chromium.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { holdLease, openAccountPage } from './open-api.ts';
import { goTo, splitLink } from './steps.ts';

const OLD_JOBS = 130;

/** Unrequested layout shifts, as browsers count them for a page's cumulative layout shift. */
const WATCH_SHIFTS = `{
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { sources, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shifts.push(sources.map(({ node }) => node?.outerHTML ?? node?.textContent));
    }
  }).observe({ type: 'layout-shift' });
}`;

const stack = stackOfFile();
const { api, visitor, page } = await openAccountPage(stack, 'noa@example.com');

describe('jobs in a browser', () => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const recording = (name: string) => page.getByRole('row').getByRole('link', { name });
  const searchBox = () => page.getByRole('searchbox');
  const progress = () => page.getByRole('progressbar', { name: 'Progress of the job' });

  const split = (url: string) => splitLink(page, url);

  test('progress is shown as it happens, and nothing else moves', async () => {
    const streaming = page.waitForResponse((response) => response.url().includes('/jobs.follow?'));
    const jobId = await split('https://example.com/talk.mp3');
    const stream = await streaming;
    assert.match(stream.headers()['content-type'] ?? '', /^text\/event-stream/);
    const titleTop = async () => (await heading('talk.mp3').boundingBox())?.y;
    const before = { title: await titleTop(), bar: await progress().boundingBox() };
    const lease = await holdLease(stack, api, jobId, 'splitter');
    await lease.report(42);
    await page.getByText('Cutting … 42 %').waitFor();
    await inspectPage(page, 'job-processing');
    await page.evaluate(WATCH_SHIFTS);
    for (const percent of [47, 71, 88]) {
      await lease.report(percent);
      await page.getByText(`Cutting … ${percent} %`).waitFor();
      assert.equal(await progress().getAttribute('aria-valuenow'), String(percent));
    }
    assert.deepEqual({ title: await titleTop(), bar: await progress().boundingBox() }, before);
    assert.deepEqual(await page.evaluate('globalThis.shifts'), []);
    await api.finish(lease);
    await page.getByText('Completed').waitFor();
    await page.getByRole('button', { name: 'Play segment 2' }).waitFor();
    assert.equal(await titleTop(), before.title);
  });

  test('progress shows in the list, too', async () => {
    const jobId = await split('https://example.com/show.mp3');
    await goTo(page, 'Jobs');
    const row = page.getByRole('row').filter({ hasText: jobId });
    await row.getByText('Queued').waitFor();
    await page.evaluate(WATCH_SHIFTS);
    const lease = await holdLease(stack, api, jobId, 'splitter');
    for (const percent of [30, 60]) {
      await lease.report(percent);
      await row.getByText(`${percent} %`).waitFor();
    }
    await api.finish(lease);
    await row.getByText('Completed').waitFor();
    assert.deepEqual(await page.evaluate('globalThis.shifts'), []);
  });

  test('a row shows length, size and origin of its source, and opens the job on a click anywhere', async () => {
    const row = page.getByRole('row').filter({ hasText: 'talk.mp3' }).first();
    await row.getByText('example.com').waitFor();
    assert.match(await row.locator('[data-label="Source"]').innerText(), /^\d+:\d\d\s+[\d.]+ k?B$/);
    // The link covers the whole row.
    await row.locator('[data-label="Begun"]').click({ force: true });
    await heading('talk.mp3').waitFor();
    await page.goBack();
    await heading('Jobs').waitFor();
  });

  test('many jobs are deleted at once, with a result for each, and running jobs stay', async () => {
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) ids.push(await split(`https://example.com/${name}.mp3`));
    const [running = '', ...others] = ids;
    const lease = await holdLease(stack, api, running, 'splitter');
    await goTo(page, 'Jobs');
    for (const name of ['one', 'two'])
      await page.getByRole('checkbox', { name: `Choose ${name}.mp3` }).check();
    await page.getByText('2 jobs chosen').waitFor();
    await inspectPage(page, 'jobs-chosen');
    await page.getByRole('checkbox', { name: 'Choose three.mp3' }).check();
    await page.getByRole('button', { name: 'Delete the chosen' }).click();
    await page
      .getByRole('dialog', { name: 'Delete 3 jobs?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    const result = page.getByRole('dialog', { name: '2 jobs deleted, 1 still runs' });
    for (const [name, line] of [
      ['one.mp3', 'Still running: cancel it first'],
      ['two.mp3', 'Deleted'],
      ['three.mp3', 'Deleted'],
    ] as const)
      await result.getByRole('listitem').filter({ hasText: name }).getByText(line).waitFor();
    await inspectPage(page, 'jobs-deleted');
    await result.getByRole('button', { name: 'Done' }).click();
    for (const id of others)
      await page.getByRole('row').filter({ hasText: id }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('row').filter({ hasText: running }).count(), 1);
    await api.finish(lease);
  });

  test('a search covers the jobs of all pages', async () => {
    await api.sql.query(
      `with made as (
         insert into jobs.jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, output_format,
           source_file_name, segment_count, created_at, completed_at)
         select 'job_' || md5(n::text), account_id, 'completed', 'https://example.com/' || n, 'duration', 300, 'mp3',
           case n when $1 then 'Lighthouse keeper.mp3' else 'Episode ' || n || '.mp3' end, 9,
           now() - n * interval '5 hours', now() - n * interval '5 hours' + interval '1 minute'
         from generate_series(1, $1) n, (select account_id from jobs.jobs limit 1) account
         returning account_id
       )
       update jobs.account_queues set completed = completed + $1 where account_id = (select account_id from made limit 1)`,
      [OLD_JOBS],
    );
    await page.reload();
    await page.getByText('Page 1 of 3').waitFor();
    await inspectPage(page);
    assert.equal(await recording('Lighthouse keeper.mp3').count(), 0);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('jobs.search')) asked.push(request.url());
    });
    await searchBox().pressSequentially('lighthouse');
    await recording('Lighthouse keeper.mp3').waitFor();
    await page.getByText('1 job found').waitFor();
    assert.ok(asked.length < 'lighthouse'.length, `${asked.length} requests for a word`);
    await inspectPage(page, 'jobs-search');
  });

  test('the address keeps the search over a reload and the back button', async () => {
    await page.reload();
    await recording('Lighthouse keeper.mp3').waitFor();
    assert.equal(await searchBox().inputValue(), 'lighthouse');
    await recording('Lighthouse keeper.mp3').click();
    await heading('Lighthouse keeper.mp3').waitFor();
    await page.goBack();
    await recording('Lighthouse keeper.mp3').waitFor();
    assert.equal(await searchBox().inputValue(), 'lighthouse');
  });

  test('search results have pages', async () => {
    await searchBox().fill('episode');
    await recording('Episode 50.mp3').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await recording('Episode 100.mp3').waitFor();
    await page.goBack();
    await recording('Episode 50.mp3').waitFor();
    await page.goForward();
    await recording('Episode 100.mp3').waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await recording('Episode 1.mp3').waitFor();
  });

  test('the same search is a call of the API', async () => {
    await page.getByText('Do this with curl').click();
    await page.getByText('/api/v1/splits/search?limit=50&text=episode').waitFor();
  });

  test(`"Other settings" of a row starts with its job's settings`, async () => {
    await page.getByRole('button', { name: 'Other settings: Episode 3.mp3' }).click();
    await heading('Split a file').waitFor();
    assert.equal(await page.getByLabel('or paste a link to one').inputValue(), 'https://example.com/3');
    assert.equal(await page.getByLabel('Length of a segment').inputValue(), '5:00');
    await page.goBack();
    await recording('Episode 1.mp3').waitFor();
  });

  test('an empty result is announced, with a way back', async () => {
    await page.getByRole('radio', { name: 'Failed' }).check();
    await page.getByText('No failed job matches “episode”').waitFor();
    await inspectPage(page, 'jobs-search-empty');
    await page.getByRole('link', { name: 'Show all jobs' }).click();
    await page.getByText('Page 1 of 3').waitFor();
    assert.equal(await searchBox().inputValue(), '');
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
