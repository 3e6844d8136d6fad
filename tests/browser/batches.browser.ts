/** Many files or links with one setting: real services, a splitter that the test plays, and Chromium. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { holdLease, openAccountPage } from './open-api.ts';
import { makeRecording } from './recording.ts';
import { downloadFrom, goTo } from './steps.ts';

const SECONDS = 5;
const recordings = ['one.wav', 'two.wav', 'three.wav'].map((name) => ({
  name,
  mimeType: 'audio/wav',
  buffer: makeRecording(SECONDS),
}));

const stack = stackOfFile();
const { api, visitor, page } = await openAccountPage(stack, 'mika@example.com');

describe('batches in a browser', () => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const links = () => page.getByLabel('or paste a link to one');
  /** Filled in at once, because typing many lines takes a browser longer. */
  const paste = (text: string) =>
    links().evaluate((field, value) => {
      (field as { value: string }).value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }, text);
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  const filter = (name: RegExp) => page.getByRole('radio', { name });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const jobIds = async () =>
    (await api.sql.query('select id from jobs.jobs order by created_at, id')).rows.map(
      ({ id }) => id as string,
    );

  test('several lines become a batch; bad lines show before it is sent; the same batch is a call of the API', async () => {
    const sources = Array.from({ length: 1_000 }, (_, n) => `https://example.com/${n}.mp3`);
    sources[1] = 'no link';
    sources[500] = 'ftp://example.com/500.mp3';
    sources[999] = 'https://me:secret@example.com/999.mp3?key=hidden';
    await paste(sources.join('\n'));
    await page.getByRole('heading', { name: '1,000 links, one setting' }).waitFor();
    assert.equal(await page.getByText('not a link: no job is created for it').count(), 2);
    await page.getByText('Do this with curl').click();
    await page.getByText('/api/v1/batches').waitFor();
    await page.getByText('Do this with curl').click();
    await inspectPage(page, 'batch-links');
  });

  test('997 of 1,000 links run and 3 show why not, also after a reload', async () => {
    await button('Split 1,000 links').click();
    await heading('Batch of 997').waitFor();
    const refused = page.getByRole('region', { name: 'Refused' });
    await refused.getByText('3 sources refused').waitFor();
    for (const line of [
      'Line 2, no link: must be a URL that begins with http:// or https://',
      'Line 501, ftp://example.com/500.mp3: must be a URL that begins with http:// or https://',
      'Line 1,000, https://example.com/999.mp3?…: must not hold a user name or password',
    ])
      await refused.getByRole('listitem').filter({ hasText: line }).waitFor();
    await page.reload();
    await refused.getByText('3 sources refused').waitFor();
    await page.getByText('Page 1 of 20 · 997 jobs').waitFor();
    await inspectPage(page, 'batch-queued');
  });

  test("the batch's page follows it, with a row per job and the reason of a failure", async () => {
    const [first = '', second = ''] = await jobIds();
    const lease = await holdLease(stack, api, first, 'splitter');
    await row('0.mp3').getByText('Processing').waitFor();
    await page.getByText('0 of 997 completed, 1 running, 996 waiting').waitFor();
    await api.finish(lease);
    await api.fail(second);
    await page.getByText('1 of 997 completed, 1 failed, 995 waiting').waitFor();
    await filter(/^Failed 1$/).check();
    await row('2.mp3').getByText('No bytes for 30 s.').waitFor();
    // The previous list remains until the filtered one is shown.
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('row').count(), 2);
    await inspectPage(page, 'batch-failed');
  });

  test('cancelling ends the remaining jobs, and counts apart from failures', async () => {
    await button('Cancel the batch').click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 995 jobs?' });
    await dialog.getByRole('button', { name: 'Cancel the batch' }).click();
    await page.getByText('1 of 997 completed, 1 failed, 995 canceled').waitFor();
    await filter(/^Canceled 995$/).check();
    await page.getByText('Page 1 of 20 · 995 jobs').waitFor();
    await inspectPage(page, 'batch-canceled');
  });

  test('one archive contains all completed jobs', async () => {
    const saved = await downloadFrom(page, () => page.getByRole('link', { name: 'Download all' }).click());
    assert.match(saved.name, /^bat_\w+\.zip$/);
    assert.equal(saved.bytes.subarray(0, 2).toString(), 'PK');
  });

  test('a failed job is retried in its place', async () => {
    await button('Try the failed again').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 of 997 completed, 995 canceled, 1 waiting').waitFor();
    await filter(/^Queued 1$/).check();
    await row('2.mp3').waitFor();
    const id = (await jobIds()).at(-1) ?? '';
    await api.complete(id);
    await page.getByText('2 of 997 completed, 995 canceled').waitFor();
  });

  test('the list of jobs links to the batch', async () => {
    const place = new URL(page.url()).pathname;
    await goTo(page, 'Jobs');
    await page
      .getByRole('link', { name: /^In a batch, with / })
      .first()
      .click();
    await heading('Batch of 997').waitFor();
    assert.equal(new URL(page.url()).pathname, place);
  });

  test('several files are uploaded one after the other, and their batch starts', async () => {
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(recordings);
    await page.getByRole('heading', { name: '3 files, one setting' }).waitFor();
    await button('Leave out two.wav').click();
    await page.getByRole('heading', { name: '2 files, one setting' }).waitFor();
    await inspectPage(page, 'batch-files');
    await button('Split 2 files').click();
    await heading('Batch of 2').waitFor();
    await row('one.wav').waitFor();
    await row('three.wav').waitFor();
    assert.equal(await row('two.wav').count(), 0);
  });

  test('headers for a link are sent to its host only, and never shown', async () => {
    await goTo(page, 'Split');
    await links().fill('https://example.com/private.mp3');
    await page.getByText('The link needs credentials').click();
    const headers = () => page.getByLabel('Headers for the source');
    await headers().fill('my-token');
    await page.getByText('Enter a name and a value on each line').waitFor();
    await links().fill('https://example.com/secret.mp3');
    await headers().fill('Authorization: Bearer my-token');
    await page.getByText('Do this with curl').click();
    await page.getByText('"sourceHeaders":{"Authorization":"…"}').waitFor();
    await inspectPage(page, 'source-headers');
    await button('Split').click();
    await heading('secret.mp3').waitFor();
    const { rows } = await api.sql.query(
      'select source_header_names as names from jobs.jobs order by created_at desc limit 1',
    );
    assert.deepEqual(rows, [{ names: ['authorization'] }]);
    await page.goBack();
    assert.equal(await headers().inputValue(), 'Authorization: Bearer my-token');
    await links().fill('https://elsewhere.example/a.mp3');
    assert.equal(await headers().inputValue(), '');
  });

  test('a missing batch has a page with a way back', async () => {
    await page.goto('/batches/bat_none');
    await page.getByText('There is no such batch').waitFor();
    await inspectPage(page);
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
