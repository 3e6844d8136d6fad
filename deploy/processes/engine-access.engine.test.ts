/** On real engines: each process can do what access.ts allows it; everything else in that table is refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { openS3ObjectStore } from '@audiosplit/chassis/object-store/s3';
import type { Env } from '@audiosplit/chassis/process/env';
import { until } from '@audiosplit/chassis/testing/until';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetBucketPolicyCommand,
  ListMultipartUploadsCommand,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import pg from 'pg';
import {
  DATA_SERVICES,
  deadLetterTopicsOf,
  ENGINE_ACCESS,
  ENGINE_USERS,
  type EngineUser,
  OBJECTS,
} from '../engines/access.ts';
import { environmentOf } from '../engines/environment.ts';
import { type ProcessLogins, readProcessLogins } from '../engines/process-logins.ts';
import { startEngines } from '../engines/start-engines.ts';
import { stopEngines } from '../engines/stop-engines.ts';
import { giveLogins, migrateAll } from './database.ts';

let dir: string;
let administrator: Env;
let logins: ProcessLogins;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audiosplit-access-'));
  // Postgres runs under a separate account and must be able to enter the folder of its data.
  await chmod(dir, 0o711);
  const only = ['postgres', 'redis', 'kafka', 'versitygw'] as const;
  administrator = environmentOf(await startEngines({ dir, only, restricted: true }));
  logins = readProcessLogins(dir);
});
after(async () => {
  await stopEngines({ dir });
  await rm(dir, { recursive: true, force: true });
});

describe('Kafka', () => {
  const users = ENGINE_USERS.filter((user) => topicsOf(user).length > 0);
  const topics = [
    ...TOPIC_DECLARATIONS.map(({ name }) => name),
    ...users.flatMap(deadLetterTopicsOf).map(({ name }) => name),
  ];
  const kafkaOf = (login: Env) =>
    new Kafka({
      ...(readKafkaConnection({ ...administrator, ...login }) ?? assert.fail('there are brokers')).security,
      brokers: [administrator.KAFKA_BROKERS ?? ''],
      logLevel: logLevel.NOTHING,
    });

  async function openPublisher(login: Env) {
    const producer = kafkaOf(login).producer({ allowAutoTopicCreation: false });
    await producer.connect();
    return {
      publish: (topic: string) =>
        producer.send({ topic, messages: [{ key: 'k', value: 'v', partition: 0 }] }),
      [Symbol.asyncDispose]: () => producer.disconnect(),
    };
  }

  async function consume(login: Env, group: string, topic: string): Promise<void> {
    const consumer = kafkaOf(login).consumer({ groupId: group, allowAutoTopicCreation: false });
    const ended = Promise.withResolvers<void>();
    consumer.on(consumer.events.CRASH, ({ payload }) => ended.reject(payload.error));
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ autoCommit: false, eachMessage: async () => ended.resolve() });
      await ended.promise;
    } finally {
      await consumer.disconnect();
    }
  }

  before(async () => {
    await using root = await openPublisher({});
    for (const topic of topics) await root.publish(topic);
    // A new broker loads its group coordinator at the first use, and until then refuses groups.
    const hasLoaded = () =>
      consume({}, 'first', topics[0] ?? '').then(
        () => true,
        () => false,
      );
    await until(hasLoaded, 'the coordinator of groups has loaded', 30_000);
  });

  test('a login with the right password is required', async () => {
    const noLogin = {
      KAFKA_SASL_MECHANISM: 'none',
      KAFKA_SASL_USERNAME: undefined,
      KAFKA_SASL_PASSWORD: undefined,
    };
    // Kafka sends its versions without a login; it closes such a connection at the first other request.
    const asked = async (login: Env) => {
      const admin = kafkaOf(login).admin();
      try {
        await admin.connect();
        await admin.describeCluster();
      } finally {
        await admin.disconnect();
      }
    };
    await asked(logins.jobs);
    await assert.rejects(asked(noLogin));
    await assert.rejects(asked({ ...logins.jobs, KAFKA_SASL_PASSWORD: 'another' }), /auth/i);
  });

  test('the gateway has no login', () => {
    assert.deepEqual(
      users,
      ENGINE_USERS.filter((user) => user !== 'gateway'),
    );
    assert.equal(logins.gateway.KAFKA_SASL_PASSWORD, undefined);
  });

  for (const user of users) {
    const { publishes = [], consumes = [] } = ENGINE_ACCESS[user];
    const own = (suffix: string) => consumes.map((topic) => `${user}.${topic}${suffix}`);

    test(`${user} publishes according to the table, and its own dead letters`, async () => {
      const allowed = new Set([...publishes, ...own('.dead-letter')]);
      await using publisher = await openPublisher(logins[user]);
      for (const topic of topics) {
        if (allowed.has(topic)) await publisher.publish(topic);
        else await assert.rejects(publisher.publish(topic), /not authorized/i, topic);
      }
    });

    test(`${user} consumes according to the table, and messages replayed to it`, async () => {
      const allowed = new Set([...consumes, ...own('.replay')]);
      for (const topic of topics) {
        if (allowed.has(topic)) await consume(logins[user], user, topic);
        else await assert.rejects(consume(logins[user], user, topic), /not authorized/i, topic);
      }
    });

    test(`${user} joins no group but its own`, async () => {
      const [topic = ''] = consumes;
      // The client library reports a group without permissions as one without a coordinator.
      for (const group of [...users.filter((other) => other !== user), 'another'])
        await assert.rejects(consume(logins[user], group, topic), /group coordinator/i, group);
    });

    test(`${user} cannot change topics or rights`, async () => {
      const admin = kafkaOf(logins[user]).admin();
      await admin.connect();
      try {
        const [topic = ''] = consumes;
        await assert.rejects(admin.createTopics({ topics: [{ topic: 'another' }] }));
        await assert.rejects(admin.deleteTopics({ topics: [topic] }));
        await assert.rejects(
          admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '1' }] }),
        );
        await assert.rejects(admin.deleteGroups([user]));
      } finally {
        await admin.disconnect();
      }
    });
  }
});

describe('the object store', () => {
  const EXAMPLES: Readonly<Record<string, { readonly prefix: string; readonly key: string }>> = {
    [OBJECTS.segments]: { prefix: 'jobs/job_1/', key: 'jobs/job_1/1/a.mp3' },
    [OBJECTS.uploads]: { prefix: 'uploads/acc_1/', key: 'uploads/acc_1/upl_1/a.mp3' },
    [OBJECTS.invoices]: { prefix: 'accounts/acc_1/invoices/', key: 'accounts/acc_1/invoices/inv_1.pdf' },
    [OBJECTS.exports]: { prefix: 'accounts/acc_1/exports/', key: 'accounts/acc_1/exports/exp_1/1/a.zip' },
    'other/': { prefix: 'other/', key: 'other/a' },
  };
  const TYPE = { contentType: 'text/plain' };
  const locationOf = ({
    AWS_ACCESS_KEY_ID: accessKeyId = 'none',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = 'none',
  }: Env) => {
    const url = new URL(administrator.STORAGE_URL ?? '');
    const endpoint = url.searchParams.get('endpoint') ?? '';
    const region = url.searchParams.get('region') ?? '';
    return { bucket: url.host, endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  };
  const storeOf = (login: Env) => openS3ObjectStore(locationOf(login));
  const put = (store: ObjectStore, key: string) => store.put(key, Readable.from(['text']), TYPE);
  const firstOf = async (store: ObjectStore, prefix: string) => {
    for await (const { key } of store.list(prefix)) return key;
    return undefined;
  };

  for (const user of ENGINE_USERS) {
    const access = ENGINE_ACCESS[user].storage ?? {};
    test(`${user} reads, writes, deletes and lists according to the table`, async () => {
      await using root = storeOf(administrator);
      await using store = storeOf(logins[user]);
      for (const [place, { prefix, key }] of Object.entries(EXAMPLES)) {
        const may = (places: readonly string[] = []) => places.includes(place);
        const attempt = async (what: string, isAllowed: boolean, act: () => Promise<unknown>) => {
          if (isAllowed) await act();
          else await assert.rejects(act, isForbidden, `${user} ${what} ${key}`);
        };
        await put(root, key);
        await attempt('gets', may(access.read), async () => text((await store.get(key)).body));
        await attempt('heads', may(access.read), () => store.head(key));
        await attempt('puts', may(access.write), () => put(store, key));
        const mayList = access.list === 'all' || may(access.list);
        await attempt('lists', mayList, async () => assert.equal(await firstOf(store, prefix), key));
        await attempt('deletes', may(access.delete), () => store.delete([key]));
        assert.equal(await firstOf(root, prefix), may(access.delete) ? undefined : key);
      }
      if (access.list === 'all') await store.check();
      else await assert.rejects(store.check(), isForbidden);
    });
  }

  /** Calls to the bucket that ObjectStore does not have. */
  function openBucket(login: Env) {
    const { bucket: Bucket, ...location } = locationOf(login);
    const client = new S3Client({ ...location, forcePathStyle: true, maxAttempts: 1 });
    return {
      begin: (Key: string) => client.send(new CreateMultipartUploadCommand({ Bucket, Key })),
      abort: (Key: string, UploadId: string | undefined) =>
        client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      listUploads: () => client.send(new ListMultipartUploadsCommand({ Bucket })),
      readPolicy: async () => (await client.send(new GetBucketPolicyCommand({ Bucket }))).Policy,
      putPolicy: (Policy: string) => client.send(new PutBucketPolicyCommand({ Bucket, Policy })),
      delete: () => client.send(new DeleteBucketCommand({ Bucket })),
      [Symbol.dispose]: () => client.destroy(),
    };
  }

  for (const user of ENGINE_USERS) {
    const access = ENGINE_ACCESS[user].storage ?? {};
    const sweepsUploads = access.delete?.includes(OBJECTS.uploads) === true;

    test(`${user} aborts and lists unfinished uploads according to the table`, async () => {
      using root = openBucket(administrator);
      using bucket = openBucket(logins[user]);
      for (const [place, { key }] of Object.entries(EXAMPLES)) {
        const { UploadId } = await root.begin(key);
        const isAllowed =
          access.write?.some((each) => each === place) === true ||
          (sweepsUploads && place === OBJECTS.uploads);
        if (isAllowed) {
          await bucket.abort(key, UploadId);
          continue;
        }
        await assert.rejects(bucket.abort(key, UploadId), isForbidden, `${user} aborts ${key}`);
        await root.abort(key, UploadId);
      }
      if (sweepsUploads) await bucket.listUploads();
      else await assert.rejects(bucket.listUploads(), isForbidden);
    });

    test(`${user} cannot replace or delete the policy of the bucket`, async () => {
      using root = openBucket(administrator);
      using bucket = openBucket(logins[user]);
      const policy = await root.readPolicy();
      await assert.rejects(bucket.putPolicy(policy ?? assert.fail('there is no policy')), isForbidden);
      await assert.rejects(bucket.delete(), isForbidden);
      assert.equal(await root.readPolicy(), policy);
    });
  }

  function isForbidden(error: unknown): boolean {
    const { $metadata, message } = error as {
      readonly $metadata?: { readonly httpStatusCode?: number };
      readonly message: string;
    };
    return $metadata?.httpStatusCode === 403 || /AccessDenied/.test(message);
  }
});

describe('Redis', () => {
  /** The reply to the last command. */
  async function say(login: readonly string[], ...commands: readonly string[]): Promise<string> {
    const socket = connect(Number(new URL(administrator.REDIS_URL ?? '').port), '127.0.0.1');
    try {
      let reply = '';
      for (const command of [...login, ...commands]) {
        socket.write(`${command}\r\n`);
        reply = String((await once(socket, 'data'))[0]);
      }
      return reply;
    } finally {
      socket.destroy();
    }
  }
  const loginOf = ({ REDIS_URL: url = '' }: Env) => {
    const { username, password } = new URL(url);
    return [`AUTH ${username} ${password}`];
  };

  test('a login is required, and only the gateway has one', async () => {
    assert.match(await say([], 'GET audiosplit:gateways'), /^-NOAUTH/);
    assert.match(await say([], 'AUTH default x'), /^-WRONGPASS/);
    for (const user of ENGINE_USERS.filter((each) => each !== 'gateway'))
      assert.equal(logins[user].REDIS_URL, undefined, user);
  });

  test('the gateway counts calls and gateways', async () => {
    const gateway = loginOf(logins.gateway);
    const increment = (key: string) => `EVAL "return redis.call('INCR', KEYS[1])" 1 ${key}`;
    assert.equal(await say(gateway, increment('audiosplit:rate:acc_1')), ':1\r\n');
    assert.match(await say(gateway, 'GET audiosplit:rate:acc_1'), /^\$1/);
    assert.match(await say(gateway, 'SET audiosplit:remembered:one 1 EX 1'), /^\+OK/);
    assert.equal(await say(gateway, 'EXISTS audiosplit:remembered:two'), ':0\r\n');
    assert.equal(await say(gateway, 'ZREM audiosplit:gateways one'), ':0\r\n');
    assert.match(await say(gateway, increment('another:key')), /^-.*NOPERM|^-.*No permissions/i);
  });

  for (const command of [
    'DEL audiosplit:rate:acc_1',
    'GET other:key',
    'INCR other:key',
    'ZREM other:set one',
    'KEYS *',
    'FLUSHALL',
    'CONFIG GET *',
    'ACL LIST',
    'CLIENT LIST',
    'SUBSCRIBE all',
    'SCRIPT FLUSH',
  ])
    test(`the gateway cannot run ${command}`, async () => {
      assert.match(await say(loginOf(logins.gateway), command), /^-NOPERM/);
    });
});

describe('PostgreSQL', () => {
  test('a service can read and write only its own schema', async () => {
    const url = administrator.DATABASE_URL ?? '';
    await migrateAll({ PATH: process.env.PATH, DATABASE_URL: url }, 'source');
    const urls = await giveLogins(url, 'a secret of the test');
    const tables = await query<{ schemaname: string; tablename: string }>(
      url,
      'select schemaname, tablename from pg_tables where schemaname = any($1)',
      [DATA_SERVICES],
    );
    assert.deepEqual(new Set(tables.map(({ schemaname }) => schemaname)), new Set(DATA_SERVICES));
    for (const service of DATA_SERVICES) {
      for (const { schemaname, tablename } of tables) {
        for (const statement of ['select from', 'delete from', 'drop table']) {
          const attempt = () =>
            query(urls[service], `begin; ${statement} ${schemaname}."${tablename}"; rollback`);
          if (schemaname !== service)
            await assert.rejects(attempt, /permission denied/, `${service} ${tablename}`);
          else if (statement === 'select from') await attempt();
        }
      }
    }
  });

  async function query<Row extends pg.QueryResultRow>(
    url: string,
    sql: string,
    values?: unknown[],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }
});

function topicsOf(user: EngineUser): readonly string[] {
  const { publishes = [], consumes = [] } = ENGINE_ACCESS[user];
  return [...publishes, ...consumes];
}
