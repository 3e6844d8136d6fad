import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import { openOperations, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import {
  BUS_MIGRATIONS_DIR,
  BUS_SCHEMA,
  openPostgresEventBus,
} from '@audiosplit/chassis/event-bus/postgres/postgres';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { TOPIC_DECLARATIONS, TOPICS } from '@audiosplit/proto/topics';
import { parseDeadLettersArguments, runDeadLettersCommand } from './dead-letters-command.ts';
import { parseLagArguments, runLagCommand } from './lag-command.ts';

const database = forSuite(() =>
  createTestDatabase([{ schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR }]),
);
const bus = forSuite(
  () =>
    openPostgresEventBus({
      url: database.url,
      topics: TOPIC_DECLARATIONS,
      log: silentLogger(),
      pollMs: 20,
    }),
  database,
);
const operations = forSuite(() => openOperations({ databaseUrl: database.url }), bus);

const FAILED_AT = /\d{4}-\d\d-\d\dT[\d:.]+Z/;
const registered = (accountId: string) => ({
  ...eventMessage(accountId, new Date('2026-01-02T03:04:05Z'), {
    case: 'accountRegistered',
    value: { email: 'a@example.com', name: 'A' },
  }),
  headers: {},
});

async function run(...args: string[]): Promise<string> {
  const output: string[] = [];
  await runDeadLettersCommand(operations, parseDeadLettersArguments(args), (text) => void output.push(text));
  return output.join('');
}

async function subscribe(group: string, fail: () => boolean) {
  const handled: string[] = [];
  const subscription = await bus.subscribe({
    group,
    topics: [TOPICS.accounts],
    maxDeliveries: 1,
    onCrash: assert.fail,
    handler: async ({ key }) => {
      if (fail()) throw new Error(`${group} is\nbroken\u001b[31m`);
      handled.push(key);
    },
  });
  return { handled, [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose]() };
}

test('dead letters are listed, shown, replayed to their group and discarded', async () => {
  let isBroken = true;
  await using billing = await subscribe('billing', () => isBroken);
  await using auth = await subscribe('auth', () => false);
  assert.equal(await run('list'), '0 of 0 dead letters\n');
  await bus.publish([
    registered('acc_1'),
    { topic: TOPICS.accounts, key: 'acc_2', value: Buffer.from([0xff]), headers: {} },
    registered('acc_3'),
  ]);
  await until(async () => (await run('list')).endsWith('3 of 3 dead letters\n'), 'three dead letters');

  const list = await run('list', '--group', 'billing', '--limit', '2');
  assert.match(list, /^group +topic +position +failed at +key +event +deliveries +error\n/);
  assert.match(list, FAILED_AT);
  assert.match(list, /2 of 3 dead letters\n$/);
  assert.match(await run('list'), /accountRegistered evt_\w+ +1 +billing is broken \[31m\n/);
  assert.match(await run('list'), /acc_2 +undecodable/);

  const shown: Record<string, unknown>[] = JSON.parse(await run('show', '--topic', TOPICS.accounts));
  const first = shown.find(({ key }) => key === 'acc_1');
  assert.deepEqual([first?.group, first?.deliveries], ['billing', 1]);
  const { id: _, ...event } = Object(first?.event);
  assert.deepEqual(event, {
    occurredAt: '2026-01-02T03:04:05Z',
    accountId: 'acc_1',
    accountRegistered: { email: 'a@example.com', name: 'A' },
  });
  assert.equal(shown.find(({ key }) => key === 'acc_2')?.valueBase64, '/w==');

  isBroken = false;
  const discarded = await run('discard', '--group', 'billing', '--topic', TOPICS.accounts, '--limit', '1');
  assert.match(discarded, /^discarded from billing .*\n1 dead letters discarded\n$/);
  const replayed = await run('replay');
  assert.equal(replayed.match(/^replayed to billing /gm)?.length, 2);
  assert.match(replayed, /2 dead letters replayed\n$/);
  await until(() => billing.handled.length === 2, 'billing has handled what was replayed');
  assert.equal(await run('replay'), '0 dead letters replayed\n');
  assert.equal(auth.handled.length, 3);
});

test('lag is shown as a table and as metrics', async () => {
  const read = async (...args: string[]) => {
    const output: string[] = [];
    await runLagCommand(operations, parseLagArguments(args), (text) => void output.push(text));
    return output.join('');
  };
  await using _webhooks = await subscribe('webhooks', () => false);
  await until(async () => /^webhooks +audiosplit\.accounts +0$/m.test(await read()), 'nothing is left');
  await _webhooks[Symbol.asyncDispose]();
  await bus.publish([registered('acc_9')]);
  assert.match(await read(), /^webhooks +audiosplit\.accounts +1$/m);
  const metrics = await read('--format', 'openmetrics');
  const sum = [...metrics.matchAll(/lag_messages\{group="webhooks",topic="audiosplit\.accounts",.*\} (\d+)/g)]
    .map(([, messages]) => Number(messages))
    .reduce((total, messages) => total + messages, 0);
  assert.equal(sum, 1);
  assert.match(metrics, /^audiosplit_dead_letters\{group="webhooks",topic="audiosplit\.accounts"\} 0$/m);
  assert.match(metrics, /\n# EOF\n$/);
});

test('wrong arguments are reported', async () => {
  for (const args of [[], ['delete'], ['list', 'all'], ['list', '--limit', '0'], ['replay', '--force']]) {
    assert.throws(() => parseDeadLettersArguments(args), /usage: npm run operate -- dead-letters/);
  }
  assert.throws(() => parseDeadLettersArguments(['discard', '--group', 'billing']), /--group and --topic/);
  assert.throws(() => parseLagArguments(['--format', 'xml']), /usage: npm run operate -- lag/);
  await assert.rejects(run('list', '--group', 'nobody'), /no such group/);
  assert.throws(() => readBusLocation({}), /DATABASE_URL is not set/);
  assert.throws(() => readBusLocation({ KAFKA_BROKERS: 'nowhere' }), /KAFKA_BROKERS is "nowhere"/);
  const empty = new URL(database.url);
  empty.pathname = '/postgres';
  await assert.rejects(openOperations({ databaseUrl: empty.href }), /no bus where DATABASE_URL says/);
});
