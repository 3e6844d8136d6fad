import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { createEgress, failsWith, OPTIONS, readAll } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';
import { inspectSource } from './inspect-source.ts';
import { addressOf } from './source-address.ts';

const SOURCE_HEADERS = { authorization: 'Bearer secret', 'user-agent': 'mine/1' };

test('a source is inspected, fetched and resumed with its headers', async () => {
  let fetches = 0;
  await using server = await startLocalServer((request, response) => {
    if (request.headers.authorization !== 'Bearer secret' || request.headers['user-agent'] !== 'mine/1')
      return void response.writeHead(401).end();
    const answer = { 'accept-ranges': 'bytes', etag: '"one"' };
    if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': 4 }).end();
    if (request.headers.range === undefined) {
      fetches += 1;
      response.writeHead(200, { ...answer, 'content-length': 4 }).write('au');
      setTimeout(() => request.socket.destroy(), 20);
      return;
    }
    response.writeHead(206, { ...answer, 'content-length': 2, 'content-range': 'bytes 2-3/4' }).end('di');
  });
  await using egress = createEgress();
  assert.deepEqual(await inspectSource(egress, `${server.origin}/`, { sourceHeaders: SOURCE_HEADERS }), {
    sizeBytes: 4,
  });
  const options = { ...OPTIONS, sourceHeaders: SOURCE_HEADERS };
  await using source = await openSource(egress, `${server.origin}/`, options);
  assert.equal((await readAll(source.body)).toString(), 'audi');
  assert.equal(fetches, 1);
});

test('the error of a source that is rejected after a redirect says that its headers were not sent', async () => {
  await using other = await startLocalServer((_request, response) => response.writeHead(403).end());
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(302, { location: `${other.origin}/` }).end();
  });
  await using egress = createEgress();
  const options = { ...OPTIONS, sourceHeaders: SOURCE_HEADERS };
  await assert.rejects(openSource(egress, `${server.origin}/`, options), (error: Error) => {
    assert.match(
      error.message,
      /redirected to 127\.0\.0\.1:\d+, which gets no sourceHeaders .* status 403\.$/,
    );
    assert.doesNotMatch(error.message, /secret/);
    return failsWith('SOURCE_UNREACHABLE', false)(error);
  });
  assert.equal(other.requests[0]?.headers.authorization, undefined);
});

test('the headers are not sent to the host behind a shared link', () => {
  const { originHeaders } = addressOf('https://drive.google.com/file/d/1/view', SOURCE_HEADERS);
  assert.deepEqual(originHeaders, {});
  const dropbox = addressOf('https://www.dropbox.com/s/1/a.mp3?dl=0', SOURCE_HEADERS);
  assert.deepEqual(dropbox.originHeaders, SOURCE_HEADERS);
});
