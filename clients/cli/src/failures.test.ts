import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { type Audiosplit, AudiosplitError, createAudiosplit, type Retry } from '@audiosplit/client';
import { describeFailure, describeRetry, SystemError } from './failures.ts';

const UNREACHABLE = 'http://127.0.0.1:1';

async function failureOf(baseUrl: string): Promise<AudiosplitError> {
  return failureOfCall(createAudiosplit({ baseUrl, apiKey: 'key', retries: { maxRetries: 0 } }));
}

async function failureOfCall(client: Audiosplit): Promise<AudiosplitError> {
  const error = await client.createUpload({}).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof AudiosplitError, String(error));
  return error;
}

async function answeredWith(listener: RequestListener): Promise<{ host: string; said: string | undefined }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { host, said: describeFailure(await failureOf(`http://${host}`), { server: undefined }) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a failure is one line', () => {
  test('for a server that is unreachable', async () => {
    const error = await failureOf(UNREACHABLE);
    assert.match(describeFailure(error, { server: undefined }) ?? '', /^cannot reach 127\.0\.0\.1:1 \(.+\)$/);
  });

  test('for an error of the API, with its code', async () => {
    const refused = await answeredWith((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'INVALID_PARAMS', message: 'No.' } }));
    });
    assert.equal(refused.said, 'INVALID_PARAMS: No.');
  });

  test('for an error of the API, with the option instead of its field', async () => {
    const details = [
      { field: 'encoding.bitDepth', message: 'mp3 has none' },
      { field: 'sourceUrl', message: 'must be a URL' },
    ];
    const refused = await answeredWith((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'INVALID_PARAMS', message: 'No.', details } }));
    });
    assert.equal(refused.said, 'INVALID_PARAMS: --bit-depth mp3 has none; sourceUrl must be a URL');
  });

  test('for a proxy or an unknown server, with its status', async () => {
    const away = await answeredWith((_request, response) => response.writeHead(502).end('<h1>Sorry</h1>'));
    assert.equal(away.said, `HTTP_502: ${away.host} answered Bad Gateway`);
    const stranger = await answeredWith((_request, response) => response.end('<h1>Hello</h1>'));
    assert.equal(stranger.said, `${stranger.host} does not answer like audiosplit: is --server right?`);
    const moved = await answeredWith((_request, response) =>
      response.writeHead(301, { location: 'https://new.example.com/' }).end(),
    );
    assert.match(moved.said ?? '', /^HTTP_301: .*https:\/\/new\.example\.com\//);
  });

  test('for a system that cannot start; a programming error is not described', () => {
    assert.equal(describeFailure(new SystemError('no room'), { server: undefined }), 'no room');
    assert.equal(describeFailure(new Error('x is undefined'), { server: undefined }), undefined);
  });
});

test('a pause is reported with its reason and length', async () => {
  const retries: Retry[] = [];
  const client = createAudiosplit({
    baseUrl: UNREACHABLE,
    retries: { maxRetries: 1, baseDelayMs: 1 },
    onRetry: (retry) => retries.push(retry),
  });
  await failureOfCall(client);
  assert.deepEqual(retries.map(describeRetry), ['no connection, trying again in 1 s']);
  const limited = new AudiosplitError(
    { code: 'RATE_LIMITED', message: 'Too many.' },
    {
      status: 429,
      headers: new Headers(),
      requestId: undefined,
      rateLimit: undefined,
      isReplay: false,
      host: 'a',
    },
  );
  assert.equal(describeRetry({ error: limited, delayMs: 6_200 }), 'RATE_LIMITED, trying again in 7 s');
});
