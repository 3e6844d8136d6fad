/** An account's buckets in the console: `npm start`, a store that can refuse requests, and Chromium. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { startS3Server } from '../harness/servers/s3-server.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openKeyboard } from './keyboard.ts';
import { openProduct } from './open-product.ts';
import { goTo, signUp } from './steps.ts';

const JOB_TIMEOUT_MS = 60_000;
/** The longest allowed name. */
const NAME = 'archive'.padEnd(63, 'e');

const stack = stackOfFile();
const store = stack.use(await startS3Server());
const { accessKeyId, secretAccessKey, endpoint, bucket } = store.connection;
const tour = { bytes: await readFile(TOUR_SAMPLE_PATH), contentType: 'audio/mpeg' };
store.objects.set('podcasts/tour.mp3', tour);
const env = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
const { visitor, page } = await openProduct(stack, { env });
await signUp(page, 'nia@example.com');
// More calls per minute than the Free plan allows.
await call('billing.setPaymentMethod', { token: 'tok_visa' });
await call('billing.subscribe', { planId: 'plan_starter', maxAmount: 900 });

async function call(procedure: string, input: object): Promise<void> {
  const status = await page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json', 'x-audiosplit-console': '1' };
      return (await fetch(`/console/trpc/${path}`, { method: 'POST', headers, body })).status;
    },
    [procedure, JSON.stringify(input)] as const,
  );
  assert.equal(status, 200, procedure);
}

describe('connections in a browser', () => {
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const dialog = () => page.getByRole('dialog');
  const typed = (name: string) => dialog().getByLabel(name, { exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const links = () => page.getByLabel('or paste a link to one');
  const card = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  const openConnections = async () => {
    await page.getByRole('link', { name: /^Account/ }).click();
    await page.getByRole('link', { name: 'Connections to buckets' }).click();
    await heading('Connections to buckets').waitFor();
  };
  const fill = async (values: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(values)) await typed(name).fill(value);
  };

  test('the account links to connections; the empty page explains them', async () => {
    await openConnections();
    await page.getByText('No connections yet').waitFor();
    await inspectPage(page, 'connections-empty');
  });

  test('the form opens and closes by keyboard', async () => {
    const { tabTo, press, assertAt } = openKeyboard(page);
    await heading('Connections to buckets').focus();
    await tabTo(button('Connect a bucket'));
    await press('Enter');
    await assertAt(typed('Name'));
    await tabTo(dialog().getByRole('button', { name: 'Cancel' }));
    await press('Enter');
    await assertAt(button('Connect a bucket'));
  });

  test('errors show at their fields; the secret is in no command', async () => {
    await button('Connect the first one').click();
    await fill({
      Name: 'Archive',
      Endpoint: endpoint,
      Region: 'us-east-1',
      Bucket: bucket,
      Folder: 'podcasts/',
      'Access key ID': accessKeyId,
      'Secret access key': secretAccessKey,
    });
    assert.equal(await typed('Secret access key').getAttribute('type'), 'password');
    await button('Connect it').click();
    await dialog().getByText('This must be 1 to 63 lower-case letters').waitFor();
    await dialog().getByText('Do this with curl').click();
    await dialog().getByText('"secretAccessKey":"…"').waitFor();
    await inspectPage(page, 'connections-add');
  });

  test('a new connection is tested at once, and its secret is nowhere on the page', async () => {
    await typed('Name').fill(NAME);
    await button('Connect it').click();
    const shown = card(NAME);
    await shown.getByText('s3://audio/podcasts/', { exact: true }).waitFor();
    await shown.getByText('All of it works.').waitFor();
    assert.ok(!(await page.content()).includes(secretAccessKey));
    await inspectPage(page, 'connections');
    await page.reload();
    await shown.waitFor();
    assert.ok(!(await page.content()).includes(secretAccessKey));
    assert.deepEqual([...store.objects.keys()], ['podcasts/tour.mp3'], 'the test leaves nothing');
  });

  test("a taken name is an error at the name's field", async () => {
    await button('Connect a bucket').click();
    await fill({
      Name: NAME,
      Region: 'us-east-1',
      Bucket: bucket,
      'Access key ID': accessKeyId,
      'Secret access key': secretAccessKey,
    });
    await button('Connect it').click();
    await dialog().getByText(`The account has a connection ${NAME} already`).waitFor();
    assert.equal(await typed('Name').getAttribute('aria-invalid'), 'true');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  test("the test shows what works, and what fails with the store's message", async () => {
    store.refusalOf = ({ method }) =>
      method === 'PUT' ? { status: 403, code: 'AccessDenied', message: 'Access Denied.' } : undefined;
    await button(`Test ${NAME}`).click();
    const shown = card(NAME);
    await shown.getByText('2 of 4 do not work.').waitFor();
    await shown.getByText('The store answered 403 AccessDenied Access Denied.').waitFor();
    const checks = await shown.getByRole('listitem').allTextContents();
    assert.match(
      checks.join('\n'),
      /List the folder: works\nRead an object: works\nWrite an object: does not/,
    );
    await inspectPage(page, 'connections-test');
    store.refusalOf = () => undefined;
    await button(`Test ${NAME}`).click();
    await shown.getByText('All of it works.').waitFor();
  });

  test('a split names a bucket, a folder and no copy; a source in a bucket needs no credentials', async () => {
    await goTo(page, 'Split');
    const credentials = page.getByText('The link needs credentials');
    await links().fill('https://example.com/tour.mp3');
    await credentials.waitFor();
    await links().fill(`s3://${NAME}/tour.mp3`);
    await credentials.waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Into equal parts' }).check();
    await field('Number of parts').fill('2');
    await page.getByText('More options').click();
    assert.equal(await page.getByLabel('Keep no copy here').count(), 0);
    await field('Store the segments in a bucket').selectOption({ label: NAME });
    await field('Folder in it').fill('segments');
    await page.getByLabel('Keep no copy here').check();
    await page.getByText('In s3://audio/podcasts/.').waitFor();
    await page.getByText('2 set').waitFor();
    await page.getByText('Do this with curl').click();
    await page
      .getByText(`"destination":{"connection":"${NAME}","prefix":"segments"},"keepCopy":false`)
      .waitFor();
    await inspectPage(page, 'split-destination');
  });

  test('a batch has no destination, and the form explains it', async () => {
    await links().fill(`s3://${NAME}/tour.mp3\ns3://${NAME}/other.mp3`);
    await page.getByText('Segments of a batch stay here').waitFor();
    await page.getByText('/api/v1/batches').waitFor();
    assert.equal(await page.getByText('"destination"').count(), 0);
    await links().fill(`s3://${NAME}/tour.mp3`);
  });

  test("the job's page shows where its segments are, and offers no missing files", async () => {
    await button('Split').click();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    const jobId = new URL(page.url()).pathname.split('/').pop();
    const folder = `podcasts/segments/${jobId}/`;
    await page.getByText(`s3://audio/${folder}`, { exact: true }).waitFor();
    await page.getByText(`into ${NAME}/segments alone`).waitFor();
    await page.getByText(`s3://audio/${folder}tour-0.mp3`).waitFor();
    await button('Copy the location of segment 2').waitFor();
    for (const name of [/^Download/, 'Play segment 1']) {
      assert.equal(await page.getByRole('link', { name }).count(), 0, String(name));
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
    }
    await page.getByText('Without a copy here there is nothing to draw').waitFor();
    const stored = [...store.objects.keys()].filter((key) => key.startsWith(folder)).sort();
    assert.deepEqual(
      stored,
      ['manifest.json', 'tour-0.mp3', 'tour-1.mp3'].map((name) => folder + name),
    );
    await inspectPage(page, 'job-in-bucket');
  });

  test(`"Other settings" starts with the job's destination; with a copy there are download links too`, async () => {
    await button('Other settings').click();
    await page.getByText('2 set').waitFor();
    await page.getByText('More options').click();
    assert.equal(await field('Folder in it').inputValue(), 'segments');
    await page.getByLabel('Keep no copy here').uncheck();
    await button('Split').click();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    await page.getByText(`· into ${NAME}/segments ·`).waitFor();
    await button('Copy the location of segment 1').waitFor();
    await page.getByRole('link', { name: 'Download segment 1' }).waitFor();
    await page.getByRole('link', { name: 'Download all' }).waitFor();
    await inspectPage(page, 'job-in-both');
  });

  test('a store that rejects access fails the job with its message and a link to the connections', async () => {
    store.refusalOf = ({ method }) =>
      method === 'PUT' ? { status: 403, code: 'AccessDenied', message: 'Access Denied.' } : undefined;
    await button('Other settings').click();
    await button('Split').click();
    const failed = page.getByRole('region', { name: 'Why it failed' });
    await failed.getByText('403 AccessDenied Access Denied.').waitFor({ timeout: JOB_TIMEOUT_MS });
    await failed.getByText('FORBIDDEN_BY_STORE').waitFor();
    await failed.getByRole('link', { name: 'Your connections' }).waitFor();
    await inspectPage(page, 'job-refused-by-store');
    store.refusalOf = () => undefined;
  });

  test('a connection that a job uses cannot be deleted until the job has ended', async () => {
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    store.before = async ({ method }) => {
      if (method !== 'PUT') return;
      asked.resolve();
      await held.promise;
    };
    await button('Other settings').click();
    await button('Split').click();
    await heading('tour.mp3').waitFor();
    const job = page.url();
    await asked.promise;
    await openConnections();
    const remove = async () => {
      await button(`Delete ${NAME}`).click();
      await dialog().getByRole('button', { name: 'Delete the connection' }).click();
    };
    await remove();
    await dialog().getByText('CONNECTION_IN_USE').waitFor();
    await inspectPage(page, 'connections-delete');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    held.resolve();
    await page.goto(job);
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    await openConnections();
    await remove();
    await page.getByText('No connections yet').waitFor();
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
