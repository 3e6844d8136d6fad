/** A source that arrives slowly, through the whole product: what the console shows meanwhile. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { openBrowser } from '../harness/installation/console.fixture.ts';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { listen } from '../harness/servers/listen.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';

/** Longer than the job takes on a busy machine. */
const FOLLOWED_MS = 60_000;

test('a job shows how many bytes of its source have been fetched, then how much is cut', async () => {
  await using stack = new AsyncDisposableStack();
  const run = stack.use(await startObservedRun());
  const bytes = await readFile(TOUR_SAMPLE_PATH);
  const half = Math.floor(bytes.length / 2);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = stack.use(
    await listen((request, response) => {
      response.writeHead(200, { 'content-length': bytes.length, 'content-type': 'audio/mpeg' });
      if (request.method === 'HEAD') return void response.end();
      response.write(bytes.subarray(0, half));
      void released.then(() => response.end(bytes.subarray(half)));
    }),
  );

  const browser = openBrowser(run.baseUrl);
  await browser.mutate('session.signIn', run.credentials);
  const request = { sourceUrl: `${server.url}/slow.mp3`, splitMode: 'duration', segmentDuration: 10 };
  const { id: jobId } = await browser.change('jobs.create', request);
  const read = () => browser.read('jobs.get', { jobId });
  const shown: unknown[] = [];
  const following = (async () => {
    const signal = AbortSignal.timeout(FOLLOWED_MS);
    for await (const { data } of browser.follow('jobs.follow', { jobId }, signal)) shown.push(data.fetching);
  })();

  const fetching = { fetchedBytes: half, totalBytes: bytes.length };
  await until(async () => (await read()).fetching?.fetchedBytes === half, 'half of the source is there');
  assert.deepEqual((await read()).fetching, fetching);
  await until(() => shown.some((each) => Object(each).fetchedBytes === half), 'the page hears of it');
  release();
  await until(async () => (await read()).status === 'completed', 'the job ends');
  await following;
  assert.equal((await read()).fetching, undefined);
});
