/** Every request below /api/v1 takes a token, from the bucket of its credential or of its address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { queued } from '../routes/split-jobs.fixture.ts';
import { type CallOptions, startTestGateway } from '../testing/test-gateway.ts';

const PER_ADDRESS = 60;
const PROXY = '127.0.0.1';
const DRY_RUN = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'parts', parts: 2, dryRun: true };

interface Bucket {
  readonly limit: number;
  readonly remaining: number;
}

function bucketOf({ headers }: Response): Bucket {
  const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: read('limit'), remaining: read('remaining') };
}

describe('requests that count against a limit', () => {
  let addresses = 0;
  const gateway = forSuite(() =>
    startTestGateway({
      requestsPerMinute: 50,
      config: { trustProxy: [PROXY] },
      services: { jobs: { listJobs: () => ({ jobs: [], total: 0n }), createJob: () => ({ job: queued }) } },
    }),
  );
  const newAddress = () => `203.0.113.${++addresses}`;
  const callFrom = (ip: string, path: string, options: CallOptions = {}) =>
    gateway.call(path, { token: null, ...options, headers: { ...options.headers, 'x-forwarded-for': ip } });
  const leftTo = async (ip: string) => bucketOf(await callFrom(ip, '/api/v1/plans')).remaining;

  for (const [what, status, path, options] of [
    ['an unknown path', 404, '/api/v1/nothing', {}],
    ['the prefix itself', 404, '/api/v1', {}],
    ['a method that the path does not accept', 405, '/api/v1/splits', { method: 'PUT' }],
    ['OPTIONS', 405, '/api/v1/splits', { method: 'OPTIONS' }],
    ['HEAD', 401, '/api/v1/splits', { method: 'HEAD' }],
    ['a body that is too large', 413, '/api/v1/auth/login', { method: 'POST', json: 'a'.repeat(300_000) }],
    ['a body of another type', 415, '/api/v1/auth/login', { method: 'POST', body: 'a=b' }],
    [
      'a body that is not JSON',
      400,
      '/api/v1/auth/login',
      { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    ],
    ['no credential', 401, '/api/v1/splits', {}],
    ['a bad key', 401, '/api/v1/splits', { apiKey: 'bad' }],
    ['a bad token', 401, '/api/v1/billing', { token: 'bad' }],
    ['a stream of events without a key', 401, '/api/v1/splits/job_1/events', {}],
  ] as const satisfies readonly (readonly [string, number, string, CallOptions])[]) {
    it(`${what}: one from the address, shown in the headers of the ${status}`, async () => {
      const ip = newAddress();
      const answer = await callFrom(ip, path, options);
      assert.equal(answer.status, status);
      assert.deepEqual(bucketOf(answer), { limit: PER_ADDRESS, remaining: PER_ADDRESS - 1 });
      assert.equal(await leftTo(ip), PER_ADDRESS - 2);
    });
  }

  for (const [what, path, options] of [
    ['a stream of events, each time it is opened', '/api/v1/splits/job_1/events', {}],
    ['a query that is rejected', '/api/v1/splits?page=0', {}],
    ['a body that is rejected', '/api/v1/splits', { method: 'POST', json: {} }],
    ['a dry run', '/api/v1/splits', { method: 'POST', json: DRY_RUN }],
    ['a body that is too large', '/api/v1/splits', { method: 'POST', json: 'a'.repeat(300_000) }],
  ] as const satisfies readonly (readonly [string, string, CallOptions])[]) {
    // Covers C-9.6
    it(`${what}: one from the key, none from the address`, async () => {
      const ip = newAddress();
      const { secret: apiKey } = gateway.newKey();
      const left = [];
      for (let time = 0; time < 3; time++) {
        left.push(bucketOf(await callFrom(ip, path, { ...options, apiKey })));
      }
      assert.deepEqual(left, [
        { limit: 50, remaining: 49 },
        { limit: 50, remaining: 48 },
        { limit: 50, remaining: 47 },
      ]);
      assert.equal(await leftTo(ip), PER_ADDRESS - 1);
    });
  }

  it('a request that is not HTTP or whose path cannot be decoded: one from the address of the connection', async () => {
    await using direct = await startTestGateway();
    const { port } = new URL(direct.url);
    const sendRaw = async (bytes: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(bytes);
      return text(socket);
    };
    for (const [index, bytes] of [
      'NONSENSE\r\n\r\n',
      'GET /api/v1/plans HTTP/1.1\r\nBad Header\r\n\r\n',
    ].entries()) {
      const answer = await sendRaw(bytes);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, new RegExp(`x-ratelimit-remaining: ${PER_ADDRESS - 1 - index}\r\n`, 'i'));
    }
    const undecodable = await direct.call('/api/v1/%zz', { token: null });
    assert.deepEqual([undecodable.status, bucketOf(undecodable).remaining], [400, PER_ADDRESS - 3]);
    assert.equal(bucketOf(await direct.call('/api/v1/plans', { token: null })).remaining, PER_ADDRESS - 4);
  });

  // Covers B-1.5
  it('a trusted proxy determines the address; earlier values from its client do not count', async () => {
    const ip = newAddress();
    assert.equal(await leftTo(`198.51.100.1, ${ip}`), PER_ADDRESS - 1);
    assert.equal(await leftTo(`198.51.100.2, ${ip}`), PER_ADDRESS - 2);
    assert.equal(await leftTo(`unknown, ${PROXY}, ${ip}, ${PROXY}`), PER_ADDRESS - 3);
    assert.equal(await leftTo(`198.51.100.3, ${ip}:50123`), PER_ADDRESS - 4, 'whatever port it names');
  });

  it('without a trusted proxy the address is that of the connection, with any X-Forwarded-For', async () => {
    await using direct = await startTestGateway();
    const left = [];
    for (const ip of ['203.0.113.1', '203.0.113.2', '127.0.0.1, 203.0.113.3']) {
      const headers = { 'x-forwarded-for': ip };
      left.push(bucketOf(await direct.call('/api/v1/plans', { token: null, headers })).remaining);
    }
    assert.deepEqual(left, [PER_ADDRESS - 1, PER_ADDRESS - 2, PER_ADDRESS - 3]);
  });
});
