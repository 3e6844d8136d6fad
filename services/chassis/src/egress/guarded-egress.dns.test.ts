/**
 * The egress with a hostile name server, over real UDP and TCP. Responses reach the egress through c-ares, so
 * the tests cover everything after a message has been parsed, and that no response, however malformed, leads
 * to an unchecked address or takes longer than allowed.
 *
 * 127.0.0.1 represents a public address; a listener on 127.0.0.2, which is not allowed, must receive nothing.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type DnsAnswer, type DnsQuestion, type DnsRecord, startDnsServer } from './dns-server.fixture.ts';
import type { EgressPolicy } from './egress.ts';
import { failsWith } from './fails-with.fixture.ts';
import { GET } from './get-request.fixture.ts';
import { createGuardedEgress } from './guarded-egress.ts';
import { startLocalServer } from './http-server.fixture.ts';
import { createNames, type Names } from './names/names.ts';

const GOOD = '127.0.0.1';
const FORBIDDEN = '127.0.0.2';
const NAME = 'media.test';
const NO_FILE = '/nonexistent';
const ONLY_GOOD: EgressPolicy = { allowCidrs: [`${GOOD}/32`], allowUrlPrefixes: [] };
/** The resolver's timeout if a response is expected, and if none is. */
const PATIENCE_MS = 10_000;
const IMPATIENCE_MS = 100;

type Answers = (question: DnsQuestion) => DnsAnswer | undefined;

async function setUp(answers: Answers, { policy = ONLY_GOOD, patienceMs = PATIENCE_MS } = {}) {
  const stack = new AsyncDisposableStack();
  const web = stack.use(
    await startLocalServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
      else response.end('here');
    }),
  );
  let forbiddenConnections = 0;
  const forbidden = createServer((socket) => {
    forbiddenConnections += 1;
    socket.destroy();
  }).listen(web.port, FORBIDDEN);
  await once(forbidden, 'listening');
  stack.defer(async () => {
    forbidden.close();
    await once(forbidden, 'close');
  });
  const dns = stack.use(await startDnsServer(answers));
  const egress = stack.use(createGuardedEgress(policy, { names: namesAt(dns.address, patienceMs) }));
  return {
    dns,
    web,
    async get(path = '/', connectTimeoutMs = 30_000): Promise<string> {
      const response = await egress.request(`http://${NAME}:${web.port}${path}`, {
        ...GET,
        connectTimeoutMs,
      });
      return (await buffer(response.body)).toString();
    },
    check: () => egress.check(`http://${NAME}:${web.port}/`),
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      assert.equal(forbiddenConnections, 0);
    },
  };
}

/** Each name is queried anew: the tests check what happens with each response. */
function namesAt(address: string, timeoutMs: number): Names {
  let nowMs = 0;
  return createNames({
    servers: [address],
    patience: { timeoutMs, tries: 1 },
    hostsFile: NO_FILE,
    resolverFile: NO_FILE,
    nowMs: () => {
      nowMs += 3_600_000;
      return nowMs;
    },
  });
}

/** Records of the requested family, all for the queried name. */
function addresses(...all: readonly string[]): Answers {
  return ({ name, type }) => ({
    records: all
      .filter((address) => address.includes(':') === (type === 'AAAA'))
      .map((address) => ({ name, address })),
  });
}

/** Aliases one after another, the last one at `address`. */
function chain(length: number, address: string): readonly DnsRecord[] {
  const names = Array.from({ length }, (_, index) => `a${index}.test`);
  const aliases = [NAME, ...names].slice(0, -1).map((name, index) => ({ name, cname: names[index] ?? '' }));
  return [...aliases, { name: names.at(-1) ?? NAME, address }];
}

test('a valid response is used, and requested once', async () => {
  await using setup = await setUp(addresses(GOOD));
  assert.equal(await setup.get(), 'here');
  assert.deepEqual(setup.dns.questions.map(({ type }) => type).sort(), ['A', 'AAAA']);
});

test('a name that moves to an internal address is connected at the checked address first, then rejected', async () => {
  let asked = 0;
  const moves: Answers = (question) => {
    if (question.type === 'AAAA') return {};
    asked += 1;
    return addresses(asked === 1 ? GOOD : FORBIDDEN)(question);
  };
  await using setup = await setUp(moves);
  assert.equal(await setup.get(), 'here');
  assert.equal(asked, 1);
  await assert.rejects(setup.get(), failsWith('forbidden-address'));
  assert.equal(asked, 2);
});

test('a redirect to the same name is resolved and checked again', async () => {
  let asked = 0;
  await using setup = await setUp((question) => {
    if (question.type === 'AAAA') return {};
    asked += 1;
    return addresses(asked === 1 ? GOOD : FORBIDDEN)(question);
  });
  await assert.rejects(setup.get('/moved'), failsWith('forbidden-address'));
  assert.equal(setup.web.requests.length, 1);
});

test('a name that passes the check is rejected by the request if its address has changed in between', async () => {
  let asked = 0;
  await using setup = await setUp((question) => {
    if (question.type === 'AAAA') return {};
    asked += 1;
    return addresses(asked === 1 ? GOOD : FORBIDDEN)(question);
  });
  await setup.check();
  await assert.rejects(setup.get(), failsWith('forbidden-address'));
});

const refused: readonly (readonly [what: string, answers: Answers])[] = [
  ['a forbidden address', addresses(FORBIDDEN)],
  ['a forbidden address after a good one', addresses(GOOD, FORBIDDEN)],
  ['a forbidden address before a good one', addresses(FORBIDDEN, GOOD)],
  ['a forbidden address of the other family', addresses(GOOD, '::1')],
  ['a forbidden address mapped into IPv6', addresses(GOOD, `::ffff:${FORBIDDEN}`)],
  ['a forbidden address behind NAT64', addresses(GOOD, '64:ff9b::7f00:2')],
  ['a forbidden address as 6to4', addresses(GOOD, '2002:7f00:2::1')],
  ['the unspecified address', addresses('0.0.0.0')],
  ['the metadata service', addresses('169.254.169.254')],
  ['an alias of a forbidden address', ({ type }) => (type === 'A' ? { records: chain(1, FORBIDDEN) } : {})],
  [
    'eight aliases of a forbidden address',
    ({ type }) => (type === 'A' ? { records: chain(8, FORBIDDEN) } : {}),
  ],
  [
    'a thousand good addresses and a forbidden one, by TCP',
    (question) =>
      question.transport === 'udp'
        ? { isTruncated: true }
        : addresses(...Array(1_000).fill(GOOD), FORBIDDEN)(question),
  ],
  [
    'a good address in a truncated response, and more by TCP',
    (question) =>
      question.transport === 'udp'
        ? { ...addresses(GOOD)(question), isTruncated: true }
        : addresses(GOOD, FORBIDDEN)(question),
  ],
];

for (const [what, answers] of refused) {
  test(`rejected: ${what}`, async () => {
    await using setup = await setUp(answers);
    await assert.rejects(setup.check(), failsWith('forbidden-address'));
    await assert.rejects(setup.get(), failsWith('forbidden-address'));
    assert.equal(setup.web.requests.length, 0);
  });
}

/** A header that announces an answer, and a name that points to itself. */
function pointerLoop(query: number): Uint8Array {
  const header = [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
  return Uint8Array.from([
    ...header,
    0xc0,
    12,
    0,
    1,
    0,
    1,
    0xc0,
    query,
    0,
    1,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    4,
    127,
    0,
    0,
    2,
  ]);
}

const unresolved: readonly (readonly [what: string, answers: Answers])[] = [
  ['no record', () => ({})],
  ['a server failure', () => ({ responseCode: 2 })],
  ['no such name', () => ({ responseCode: 3 })],
  ['no such name, with an address', (question) => ({ ...addresses(GOOD)(question), responseCode: 3 })],
  ['a refused query', () => ({ responseCode: 5 })],
  ['silence', () => undefined],
  ['a response to another query', (question) => ({ ...addresses(GOOD)(question), idOffset: 1 })],
  ['a response for another name', (question) => ({ ...addresses(GOOD)(question), echoedName: 'other.test' })],
  ['an alias of itself', ({ name }) => ({ records: [{ name, cname: name }] })],
  [
    'two aliases of each other',
    () => ({
      records: [
        { name: NAME, cname: 'a.test' },
        { name: 'a.test', cname: NAME },
      ],
    }),
  ],
  ['an alias of a name missing from the response', () => ({ records: [{ name: NAME, cname: 'a.test' }] })],
  ['nothing at all', () => ({ rawBytes: new Uint8Array() })],
  ['one byte', () => ({ rawBytes: Uint8Array.of(0) })],
  ['noise', () => ({ rawBytes: Buffer.alloc(500, 'noise') })],
  ['a name that points at itself', () => ({ rawBytes: pointerLoop(12) })],
  ['a name that points beyond the message', () => ({ rawBytes: pointerLoop(255) })],
  [
    'a truncated response, and no response by TCP',
    ({ transport }) => (transport === 'udp' ? { isTruncated: true } : undefined),
  ],
];

for (const [what, answers] of unresolved) {
  test(`not resolved: ${what}`, async () => {
    await using setup = await setUp(answers, { patienceMs: IMPATIENCE_MS });
    await assert.rejects(setup.get(), failsWith('name-not-resolved'));
    assert.equal(setup.web.requests.length, 0);
  });
}

test('a name server that does not respond within the connect timeout causes a timeout', async () => {
  await using setup = await setUp(() => undefined);
  await assert.rejects(setup.get('/', 20), failsWith('timeout'));
});

test('only the first eight of 2,000 addresses are tried', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`);
  const policy = { allowCidrs: ['127.1.0.0/16'], allowUrlPrefixes: [] };
  await using setup = await setUp(
    (question) => (question.transport === 'udp' ? { isTruncated: true } : addresses(...many)(question)),
    { policy },
  );
  let ninth = 0;
  const listener = createServer((socket) => {
    ninth += 1;
    socket.destroy();
  }).listen(setup.web.port, '127.1.0.8');
  await once(listener, 'listening');
  try {
    await assert.rejects(setup.get(), failsWith('connect-failed'));
    assert.equal(ninth, 0);
  } finally {
    listener.close();
  }
});

test('an address that the response assigns to another name is not connected either', async () => {
  await using setup = await setUp(({ name, type }) =>
    type === 'AAAA'
      ? {}
      : {
          records: [
            { name, address: GOOD },
            { name: 'other.test', address: FORBIDDEN },
          ],
        },
  );
  const outcome = await setup.get().catch((error: unknown) => error);
  assert.ok(outcome === 'here' || failsWith('forbidden-address')(outcome));
});

test('a response that is not cached is requested once by each request', async () => {
  await using setup = await setUp(addresses(GOOD));
  for (let request = 1; request <= 3; request += 1) {
    assert.equal(await setup.get(), 'here');
    assert.equal(setup.dns.questions.filter(({ type }) => type === 'A').length, request);
  }
});
