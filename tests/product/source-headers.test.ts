/**
 * A source that requires a credential, from the request to the segments: which servers receive it, and where
 * it is visible.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { listen } from '../harness/servers/listen.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';

const TOKEN = 'planted-source-token';
const sourceHeaders = { Authorization: `Bearer ${TOKEN}` };

describe('a source that requires a credential', () => {
  const run = forSuite(() => startObservedRun({ EGRESS_ALLOW_CIDRS: '127.0.0.0/8' }));
  const elsewhere = forSuite(() =>
    listen(({ headers }, response) => {
      if (headers.authorization !== undefined) response.writeHead(500).end();
      else response.writeHead(403).end();
    }),
  );
  const sources = forSuite(async () => {
    const audio = await readFile(TOUR_SAMPLE_PATH);
    return listen(({ url = '', headers }, response) => {
      if (headers.authorization !== `Bearer ${TOKEN}`) response.writeHead(401).end();
      else if (url === '/moved') response.writeHead(302, { location: `${elsewhere.url}/` }).end();
      else if (url === '/page') {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<!doctype html><title>Hello, Bearer ${TOKEN}</title>`);
      } else response.writeHead(200, { 'content-length': audio.length }).end(audio);
    });
  });

  test('is split only with sourceHeaders', async () => {
    const job = await run.split({ sourceUrl: `${sources.url}/talk.mp3`, sourceHeaders });
    assert.equal(job.status, 'completed', JSON.stringify(job));
    assert.equal(job.segments.length, 5);
    assert.deepEqual(job.sourceHeaderNames, ['authorization']);
    const without = await run.split({ sourceUrl: `${sources.url}/talk.mp3` });
    assert.equal(without.error.message, 'The source answered with status 401.');
  });

  test('that redirects to another host fails with that reason', async () => {
    const { error } = await run.split({ sourceUrl: `${sources.url}/moved`, sourceHeaders });
    assert.equal(error.code, 'SOURCE_UNREACHABLE');
    assert.match(error.message, /which gets no sourceHeaders and answered with status 403\.$/);
  });

  test('that returns a web page fails as one, with its title', async () => {
    const { error } = await run.split({ sourceUrl: `${sources.url}/page`, sourceHeaders });
    assert.deepEqual(error, {
      code: 'UNSUPPORTED_MEDIA',
      message: 'The source is a web page (“Hello, …”), not an audio file.',
    });
  });

  test('shows its credential in no response, no log line and no notification', async () => {
    const webhookUrl = `${run.receiver.url}/hook/1`;
    const job = await run.split({ sourceUrl: `${sources.url}/talk.mp3`, sourceHeaders, webhookUrl });
    const { body: list } = await run.call('GET /api/v1/splits', run.withKey);
    const { received } = run.receiver;
    await until(() => received.some(({ body }) => body.includes('split.completed')), 'it is notified');
    assert.ok(run.lines.length > 0);
    assert.doesNotMatch(JSON.stringify([job, list, received, run.lines]), new RegExp(TOKEN));
  });
});
