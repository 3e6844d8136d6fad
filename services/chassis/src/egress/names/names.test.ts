import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../testing/until.ts';
import { type DnsAnswer, type DnsQuestion, startDnsServer } from '../dns-server.fixture.ts';
import { DNS_SERVERS } from '../egress-settings.ts';
import { GET } from '../get-request.fixture.ts';
import { createGuardedEgress } from '../guarded-egress.ts';
import { createNames } from './names.ts';

const NO_FILE = '/nonexistent';
const never = new AbortController().signal;

type Answers = (question: DnsQuestion) => DnsAnswer | undefined;

const at =
  (address: string, ttlSeconds = 0): Answers =>
  ({ name, type }) =>
    type === 'A' ? { records: [{ name, address, ttlSeconds }] } : {};

interface SetUpOptions {
  readonly hosts?: string;
  readonly resolver?: string;
  /** The timeout of one attempt; long if a response is expected. */
  readonly timeoutMs?: number;
}

async function setUp(answers: Answers, { timeoutMs = 10_000, ...files }: SetUpOptions = {}) {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-names-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const dns = stack.use(await startDnsServer(answers));
  const fileOf = async (name: string, text: string | undefined) => {
    const path = join(folder, name);
    if (text !== undefined) await writeFile(path, text);
    return path;
  };
  let nowMs = 0;
  const names = createNames({
    servers: [dns.address],
    patience: { timeoutMs, tries: 2 },
    hostsFile: await fileOf('hosts', files.hosts),
    resolverFile: await fileOf('resolv.conf', files.resolver),
    nowMs: () => nowMs,
  });
  return {
    names,
    asked: () => dns.questions.filter(({ type }) => type === 'A').map(({ name }) => name),
    pass(seconds: number) {
      nowMs += seconds * 1_000;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

// Covers B-4.4
test('a response is cached for its time to live, at least a second and at most a minute', async () => {
  for (const [ttlSeconds, keptSeconds] of [
    [0, 1],
    [10, 10],
    [3_600, 60],
  ] as const) {
    await using setup = await setUp(at('192.0.2.1', ttlSeconds));
    const resolve = () => setup.names.resolve('media.test');
    assert.deepEqual(await Promise.all([resolve(), resolve()]), [['192.0.2.1'], ['192.0.2.1']]);
    setup.pass(keptSeconds - 0.001);
    await resolve();
    assert.equal(setup.asked().length, 1, `${ttlSeconds} s`);
    setup.pass(0.001);
    await resolve();
    assert.equal(setup.asked().length, 2, `${ttlSeconds} s`);
  }
});

// Covers B-4.4
test('a failure is cached for five seconds: no such name, and no response', async () => {
  for (const answer of [{ responseCode: 3 }, undefined]) {
    await using setup = await setUp(() => answer, { timeoutMs: 100 });
    const resolve = () => setup.names.resolve('media.test').catch(() => []);
    await resolve();
    const { length } = setup.asked();
    setup.pass(4.999);
    assert.deepEqual(await resolve(), []);
    assert.equal(setup.asked().length, length);
    setup.pass(0.001);
    await resolve();
    assert.equal(setup.asked().length, 2 * length);
  }
});

// Covers B-4.2
test('a name server that does not respond is queried twice, one that reports no such name once', async () => {
  await using silent = await setUp(() => undefined, { timeoutMs: 100 });
  await assert.rejects(silent.names.resolve('media.test'));
  assert.equal(silent.asked().length, 2);
  await using knowing = await setUp(() => ({ responseCode: 3 }));
  assert.deepEqual(await knowing.names.resolve('media.test'), []);
  assert.equal(knowing.asked().length, 1);
});

test('the second try queries the next name server', async () => {
  await using dead = await startDnsServer(() => undefined);
  await using alive = await startDnsServer(at('192.0.2.1'));
  const names = createNames({
    servers: [dead.address, alive.address],
    patience: { timeoutMs: 1_000, tries: 2 },
    hostsFile: NO_FILE,
    resolverFile: NO_FILE,
  });
  assert.deepEqual(await names.resolve('media.test'), ['192.0.2.1']);
});

// Covers B-4.1
test('the hosts file takes precedence, and its names are not sent to a name server', async () => {
  const hosts =
    '# local\n192.0.2.7 Media.test alias.test # both\n2001:db8::7\tmedia.test\nnonsense other.test\n';
  await using setup = await setUp(at('192.0.2.1'), { hosts });
  assert.deepEqual(await setup.names.resolve('MEDIA.test'), ['192.0.2.7', '2001:db8::7']);
  assert.deepEqual(await setup.names.resolve('alias.test'), ['192.0.2.7']);
  assert.deepEqual(setup.asked(), []);
  assert.deepEqual(await setup.names.resolve('other.test'), ['192.0.2.1']);
});

test('search domains are tried as in the C library: before a name with few dots, after any other', async () => {
  const resolver = 'nameserver 192.0.2.53\nsearch team.svc.test svc.test.\noptions edns0 ndots:2\n';
  const known = new Set(['store.team.svc.test', 'store.other.svc.test', 'a.b.example.test']);
  const answers: Answers = (question) =>
    known.has(question.name) ? at('192.0.2.1')(question) : { responseCode: 3 };
  await using setup = await setUp(answers, { resolver });
  for (const [name, asked] of [
    ['store', ['store.team.svc.test']],
    ['store.other', ['store.other.team.svc.test', 'store.other.svc.test']],
    ['a.b.example.test', ['a.b.example.test']],
    ['x.y.z', ['x.y.z', 'x.y.z.team.svc.test', 'x.y.z.svc.test']],
  ] as const) {
    const before = setup.asked().length;
    const found = await setup.names.resolve(name);
    assert.deepEqual(setup.asked().slice(before), asked);
    assert.deepEqual(found, name === 'x.y.z' ? [] : ['192.0.2.1']);
  }
});

// Covers B-4.3
test('an account resolves four names at a time; its further names wait in order, cached names and other accounts do not', async () => {
  await using setup = await setUp(at('192.0.2.1', 60));
  await setup.names.resolve('kept.test');
  const enter = (name: string, accountId: string) => setup.names.enter(name, accountId, never);
  const held = await Promise.all(['a.test', 'b.test', 'c.test', 'd.test'].map((name) => enter(name, 'ann')));
  const order: string[] = [];
  const waiting = ['e.test', 'f.test'].map(async (name) => {
    const turn = await enter(name, 'ann');
    order.push(name);
    return turn;
  });
  await Promise.all([enter('kept.test', 'ann'), enter('e.test', 'bob')]);
  assert.deepEqual(order, []);
  for (const turn of held) turn[Symbol.dispose]();
  await Promise.all(waiting);
  assert.deepEqual(order, ['e.test', 'f.test']);
});

// Covers B-4.1 B-4.3
test('names that time out delay the fifth request of their account, but no other account', async () => {
  const ended: string[] = [];
  /** Those that had ended when the fifth's name was queried. */
  let endedBefore: readonly string[] | undefined;
  await using dns = await startDnsServer((question) => {
    if (question.name === 'quick.test') endedBefore ??= [...ended];
    return question.name.startsWith('slow') ? undefined : at('127.0.0.1')(question);
  });
  const names = createNames({
    servers: [dns.address],
    patience: { timeoutMs: 300, tries: 1 },
    hostsFile: NO_FILE,
    resolverFile: NO_FILE,
  });
  await using egress = createGuardedEgress({ allowCidrs: [], allowUrlPrefixes: [] }, { names });
  const request = (accountId: string, host: string) =>
    egress
      .request(`http://${host}/`, { ...GET, accountId, connectTimeoutMs: 5_000 })
      .catch(() => ended.push(`${accountId} ${host}`));
  const slow = ['slow1.test', 'slow2.test', 'slow3.test', 'slow4.test'].map((host) => request('ann', host));
  await until(() => dns.questions.filter(({ type }) => type === 'A').length === 4);
  const fifth = request('ann', 'quick.test');
  await request('bob', 'other.test');
  assert.deepEqual(ended, ['bob other.test']);
  assert.equal(endedBefore, undefined);
  await Promise.all([...slow, fifth]);
  // One free place is enough for it: the other slow names may end later.
  assert.match(endedBefore?.[1] ?? '', /^ann slow/);
  assert.equal(ended.length, 6);
});

test('checks of targets count towards the limit of names that an account resolves at a time', async () => {
  await using dns = await startDnsServer((question) =>
    question.name.startsWith('slow') ? undefined : at('192.0.2.1')(question),
  );
  const names = createNames({
    servers: [dns.address],
    patience: { timeoutMs: 300, tries: 1 },
    hostsFile: NO_FILE,
    resolverFile: NO_FILE,
  });
  await using egress = createGuardedEgress({ allowCidrs: ['192.0.2.0/24'], allowUrlPrefixes: [] }, { names });
  const check = (accountId: string, host: string, signal = never) =>
    egress.check(`https://${host}/`, { accountId, signal });
  const slow = [1, 2, 3, 4].map((n) => assert.rejects(check('ann', `slow${n}.test`)));
  await until(() => dns.questions.filter(({ type }) => type === 'A').length === 4);
  const givenUp = assert.rejects(check('ann', 'quick.test', AbortSignal.timeout(50)), { failure: 'aborted' });
  await check('bob', 'other.test');
  await givenUp;
  assert.ok(!dns.questions.some(({ name }) => name === 'quick.test'));
  await Promise.all(slow);
  await check('ann', 'quick.test');
});

// Covers B-4.1
test('DNS_SERVERS accepts addresses with and without ports, and no names', () => {
  const parse = (value: string) => DNS_SERVERS.parse(value, () => assert.fail());
  assert.deepEqual(parse('10.0.0.2, [fd00::2]:5353,10.0.0.3:53'), [
    '10.0.0.2',
    '[fd00::2]:5353',
    '10.0.0.3:53',
  ]);
  assert.deepEqual(parse('fd00::2'), ['fd00::2']);
  for (const wrong of ['dns.example.com', '10.0.0', '10.0.0.2:', '[10.0.0.2'])
    assert.throws(() => parse(wrong), wrong);
});
