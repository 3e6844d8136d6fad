import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { failsWith } from './fails-with.fixture.ts';
import { GET } from './get-request.fixture.ts';
import { createGuardedEgress } from './guarded-egress.ts';
import { startLocalServer } from './http-server.fixture.ts';

const LOOPBACK_ALLOWED = { allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] };

test('a redirect is checked like the first URL', async (t) => {
  await using server = await startLocalServer((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to') ?? '';
    response.writeHead(302, { location: to }).end();
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED, { resolve: async () => ['10.0.0.1'] });
  for (const [to, failure] of [
    ['http://169.254.169.254/latest/meta-data/', 'forbidden-address'],
    ['http://0xa9fea9fe/', 'forbidden-address'],
    ['http://[::1]/', 'forbidden-address'],
    ['http://[::ffff:127.0.0.1]/', 'forbidden-address'],
    ['http://metadata.google.internal/', 'forbidden-address'],
    ['//10.0.0.1/', 'forbidden-address'],
    ['file:///etc/passwd', 'invalid-url'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'invalid-url'],
    ['http://user:password@127.0.0.1/', 'invalid-url'],
    ['http://127.0.0.1:25/', 'invalid-url'],
    ['http://', 'invalid-url'],
  ] as const) {
    await t.test(to, async () => {
      const url = `${server.origin}/?to=${encodeURIComponent(to)}`;
      await assert.rejects(egress.request(url, GET), failsWith(failure));
    });
  }
  await server.untilNoConnections();
});

test('a redirect that leaves an allowed prefix is checked without the prefix', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/samples/inside') response.writeHead(302, { location: '/samples/a.mp3' }).end();
    else if (request.url === '/samples/outside') response.writeHead(302, { location: '/admin' }).end();
    else response.end(request.url);
  });
  await using egress = createGuardedEgress({
    allowCidrs: [],
    allowUrlPrefixes: [`${server.origin}/samples/`],
  });
  const response = await egress.request(`${server.origin}/samples/inside`, GET);
  assert.equal((await buffer(response.body)).toString(), '/samples/a.mp3');
  await assert.rejects(
    egress.request(`${server.origin}/samples/outside`, GET),
    failsWith('forbidden-address'),
  );
  assert.ok(server.requests.every(({ url }) => url !== '/admin'));
});

test('a location that is not ASCII is read as UTF-8', async () => {
  await using server = await startLocalServer((request, response) => {
    const location = Buffer.from('/caf\u00e9.mp3', 'utf8').toString('latin1');
    if (request.url === '/') response.writeHead(302, { location }).end();
    else response.end(request.url);
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, GET);
  assert.equal((await buffer(response.body)).toString(), '/caf%C3%A9.mp3');
});

test('the number of redirects is limited, and a limit of 0 returns the redirect itself', async () => {
  await using server = await startLocalServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('end');
    else response.writeHead(307, { location: `/${left - 1}` }).end('unread');
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);

  const followed = await egress.request(`${server.origin}/5`, GET);
  assert.equal((await buffer(followed.body)).toString(), 'end');
  assert.equal(followed.url, `${server.origin}/0`);
  await assert.rejects(egress.request(`${server.origin}/6`, GET), failsWith('too-many-redirects'));

  const itself = await egress.request(`${server.origin}/6`, { ...GET, maxRedirects: 0 });
  assert.equal(itself.status, 307);
  assert.equal(itself.headers.location, '/5');
  itself.body.destroy();
  await server.untilNoConnections();
});

test('credentials are sent to the first hop only, other headers to all hops', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/') response.writeHead(301, { location: '/next' }).end();
    else response.end();
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    headers: {
      Authorization: 'Bearer secret',
      cookie: 'a=b',
      'Proxy-Authorization': 'x',
      Range: 'bytes=0-0',
    },
  });
  response.body.resume();
  const [first, second] = server.requests;
  assert.equal(first?.headers.authorization, 'Bearer secret');
  assert.equal(first?.headers.cookie, 'a=b');
  assert.equal(second?.headers.authorization, undefined);
  assert.equal(second?.headers.cookie, undefined);
  assert.equal(second?.headers['proxy-authorization'], undefined);
  assert.equal(second?.headers.range, 'bytes=0-0');
});

test("headers for the URL's origin are sent to that origin only, and not after a detour", async () => {
  await using other = await startLocalServer((_request, response) => {
    response.writeHead(302, { location: `${server.origin}/back` }).end();
  });
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/same' }).end();
    else if (request.url === '/same') response.writeHead(302, { location: `${other.origin}/` }).end();
    else response.end();
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    headers: { accept: '*/*', 'x-other': 'kept' },
    originHeaders: { Authorization: 'Bearer secret', Accept: 'audio/*', Host: 'internal.test' },
  });
  response.body.resume();
  const sent = [...server.requests.slice(0, 2), ...other.requests, ...server.requests.slice(2)];
  assert.deepEqual(
    sent.map(({ headers }) => [headers.authorization, headers.accept, headers['x-other']]),
    [
      ['Bearer secret', 'audio/*', 'kept'],
      ['Bearer secret', 'audio/*', 'kept'],
      [undefined, '*/*', 'kept'],
      [undefined, '*/*', 'kept'],
    ],
  );
  assert.ok(server.requests.every(({ headers }) => headers.host === new URL(server.origin).host));
});

test('a POST request does not follow redirects', async () => {
  await using server = await startLocalServer((request, response) => {
    request.resume();
    response.writeHead(308, { location: '/next' }).end();
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    method: 'POST',
    body: Buffer.from('{"secret":1}'),
  });
  response.body.destroy();
  assert.equal(response.status, 308);
  assert.equal(server.requests.length, 1);
});

test('a redirect without a location is an ordinary response', async () => {
  await using server = await startLocalServer((_request, response) => response.writeHead(302).end('no way'));
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, GET);
  assert.equal(response.status, 302);
  assert.equal((await buffer(response.body)).toString(), 'no way');
});

test('all redirects share one timeout for headers', async () => {
  await using server = await startLocalServer((_request, response) => {
    setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 30).unref();
  });
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  await assert.rejects(
    egress.request(`${server.origin}/`, { ...GET, maxRedirects: 100, headersTimeoutMs: 150 }),
    failsWith('timeout'),
  );
  await server.untilNoConnections();
});
