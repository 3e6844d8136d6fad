import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { failsWith } from './fails-with.fixture.ts';
import { GET } from './get-request.fixture.ts';
import { createGuardedEgress } from './guarded-egress.ts';
import { startLocalServer } from './http-server.fixture.ts';

const NOTHING_ALLOWED = { allowCidrs: [], allowUrlPrefixes: [] };
const LOOPBACK_ALLOWED = { allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] };

test('every notation of a forbidden address is rejected before any connection', async (t) => {
  await using server = await startLocalServer((_request, response) => response.end());
  let resolved: string[] = [];
  await using egress = createGuardedEgress(NOTHING_ALLOWED, {
    resolve: async (hostname) => {
      resolved.push(hostname);
      return ['1.1.1.1'];
    },
  });
  for (const host of [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0177.0.0.01',
    '0x7f000001',
    '0x7f.1',
    '0X7F.0x0.0.1',
    '127.0.0.%31',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '0x0',
    '10.0.0.1',
    '167772161',
    '100.64.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '168.63.129.16',
    '0xa83f8110',
    '172.16.0.1',
    '192.168.0.1',
    '3232235521',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::169.254.169.254]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ⓛocalhost',
  ]) {
    await t.test(host, async () => {
      resolved = [];
      const url = `http://${host}:${server.port}/`;
      await assert.rejects(egress.check(url), failsWith('forbidden-address'));
      await assert.rejects(egress.request(url, GET), failsWith('forbidden-address'));
      assert.deepEqual(resolved, []);
    });
  }
  assert.equal(server.requests.length, 0);
});

test('a name is rejected if one of its addresses is forbidden', async () => {
  for (const answer of [
    ['1.1.1.1', '127.0.0.1'],
    ['10.0.0.1', '1.1.1.1'],
    ['2606:4700::1', '::1'],
    ['1.1.1.1', '::ffff:1.1.1.1'],
    ['1.1.1.1', 'not an address'],
    ['1.1.1.1', ''],
    ['127.1'],
    ['fe80::1%lo'],
  ]) {
    await using egress = createGuardedEgress(NOTHING_ALLOWED, { resolve: async () => answer });
    await assert.rejects(
      egress.request('http://media.test/', GET),
      failsWith('forbidden-address'),
      String(answer),
    );
  }
});

test('an error message never contains the internal address of a name', async () => {
  await using egress = createGuardedEgress(NOTHING_ALLOWED, { resolve: async () => ['10.20.30.40'] });
  await assert.rejects(
    egress.check('http://db.test/'),
    (error: Error) => !error.message.includes('10.20.30.40'),
  );
});

test('a name is resolved once, and the connection goes to the checked address', async () => {
  await using server = await startLocalServer((_request, response) => response.end('checked'));
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  let lookups = 0;
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED, {
    resolve: async () => answers[lookups++] ?? [],
  });

  const url = `http://media.test:${server.port}/a.mp3`;
  const response = await egress.request(url, GET);
  assert.equal((await buffer(response.body)).toString(), 'checked');
  assert.equal(lookups, 1);
  assert.equal(server.requests[0]?.headers.host, `media.test:${server.port}`);
  assert.equal(response.url, url);

  // The same name again, now with an internal address: there is no earlier connection to reuse.
  await server.untilNoConnections();
  await assert.rejects(egress.request(url, GET), failsWith('forbidden-address'));
  assert.equal(server.requests.length, 1);
});

test('an address that does not respond is followed by the next one', async () => {
  await using server = await startLocalServer((_request, response) => response.end('second'));
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED, {
    resolve: async () => ['127.0.0.2', '127.0.0.1'],
  });
  const response = await egress.request(`http://media.test:${server.port}/`, GET);
  assert.equal((await buffer(response.body)).toString(), 'second');
});

test('a name without addresses fails with name-not-resolved', async () => {
  const refuse = async () => {
    throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
  };
  await using unknown = createGuardedEgress(NOTHING_ALLOWED, { resolve: refuse });
  await assert.rejects(unknown.request('http://media.test/', GET), failsWith('name-not-resolved'));
  await using empty = createGuardedEgress(NOTHING_ALLOWED, { resolve: async () => [] });
  await assert.rejects(empty.request('http://media.test/', GET), failsWith('name-not-resolved'));
});

test('a resolver that never responds is limited by the connect timeout, or aborted by the caller', async () => {
  await using egress = createGuardedEgress(NOTHING_ALLOWED, { resolve: () => new Promise(() => {}) });
  await assert.rejects(
    egress.request('http://media.test/', { ...GET, connectTimeoutMs: 20 }),
    failsWith('timeout'),
  );
  await assert.rejects(
    egress.check('http://media.test/', { signal: AbortSignal.timeout(20) }),
    failsWith('aborted'),
  );
});

test('loopback names of the system resolver are rejected', async () => {
  await using egress = createGuardedEgress(NOTHING_ALLOWED);
  await assert.rejects(egress.check('http://localhost/'), failsWith('forbidden-address'));
});

test('localhost is reachable if loopback is allowed', async () => {
  await using server = await startLocalServer((_request, response) => response.end('here'));
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`http://localhost:${server.port}/`, GET);
  assert.equal((await buffer(response.body)).toString(), 'here');
});

test('plain http limited to the allowed blocks: https still works, and one public address rejects the name', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.end('inside');
  });
  const answers: Record<string, string[]> = {
    'inside.test': ['127.0.0.1'],
    'public.test': ['1.1.1.1'],
    'mixed.test': ['127.0.0.1', '1.1.1.1'],
  };
  await using egress = createGuardedEgress(
    { ...LOOPBACK_ALLOWED, plainHttp: 'allowed-cidrs-only' },
    { resolve: async (hostname) => answers[hostname] ?? [] },
  );
  const response = await egress.request(`http://inside.test:${server.port}/`, GET);
  assert.equal((await buffer(response.body)).toString(), 'inside');
  await egress.check('https://public.test/');
  for (const url of ['http://public.test/', `http://mixed.test:${server.port}/`, 'http://1.1.1.1/']) {
    await assert.rejects(egress.check(url), failsWith('forbidden-address'), url);
    await assert.rejects(egress.request(url, GET), failsWith('forbidden-address'), url);
  }
  assert.equal(server.requests.length, 1);
});

test('an allowed prefix allows only its path on a forbidden address', async () => {
  await using server = await startLocalServer((request, response) => response.end(request.url));
  await using egress = createGuardedEgress(
    {
      allowCidrs: [],
      allowUrlPrefixes: [`${server.origin}/samples/`, `http://media.test:${server.port}/`],
    },
    { resolve: async () => ['127.0.0.1'] },
  );

  for (const url of [`${server.origin}/samples/a.mp3?x=1`, `http://media.test:${server.port}/b`]) {
    await egress.check(url);
    const response = await egress.request(url, GET);
    const { pathname, search } = new URL(url);
    assert.equal((await buffer(response.body)).toString(), pathname + search);
  }
  for (const url of [
    `${server.origin}/`,
    `${server.origin}/samples/../admin`,
    `${server.origin}/samples/..%2fadmin`,
    `http://localhost:${server.port}/samples/a.mp3`,
    `http://other.test:${server.port}/samples/a.mp3`,
  ]) {
    await assert.rejects(egress.request(url, GET), failsWith('forbidden-address'), url);
  }
  assert.equal(server.requests.length, 2);
});

test('a Host header of the caller is not sent', async () => {
  await using server = await startLocalServer((_request, response) => response.end());
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    headers: { Host: 'internal.test', 'Accept-Encoding': 'gzip', 'X-Kept': 'yes' },
  });
  response.body.resume();
  assert.equal(server.requests[0]?.headers.host, `127.0.0.1:${server.port}`);
  assert.equal(server.requests[0]?.headers['accept-encoding'], 'identity');
  assert.equal(server.requests[0]?.headers['x-kept'], 'yes');
  assert.equal(server.requests[0]?.headers.connection, 'close');
});

test('TLS uses the name of the URL, although the connection goes to an address', async () => {
  const hellos: Buffer[] = [];
  const listener = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (hello: Buffer) => {
      hellos.push(hello);
      socket.end('this is not TLS');
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  try {
    await using egress = createGuardedEgress(LOOPBACK_ALLOWED, { resolve: async () => ['127.0.0.1'] });
    await assert.rejects(egress.request(`https://media.test.:${port}/`, GET), failsWith('tls-failed'));
    await assert.rejects(egress.request(`https://127.0.0.1:${port}/`, GET), failsWith('tls-failed'));
    assert.equal(hellos.length, 2);
    // RFC 6066: host_name entries are length-prefixed; without the trailing dot, and no entry for an address.
    assert.ok(hellos[0]?.includes(Buffer.concat([Buffer.from([0, 0, 10]), Buffer.from('media.test')])));
    assert.ok(hellos[1]?.includes('media.test') === false && !hellos[1].includes('127.0.0.1'));
  } finally {
    listener.close();
  }
});

test('a closed port is a failed connection', async () => {
  const server = await startLocalServer(() => {});
  await server[Symbol.asyncDispose]();
  await using egress = createGuardedEgress(LOOPBACK_ALLOWED);
  await assert.rejects(egress.request(`${server.origin}/`, GET), failsWith('connect-failed'));
});
