/** A process whose login has no ACLs at Kafka, or gets them only after the start of the process. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from '@audiosplit/chassis/event-bus/kafka/client';
import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { openKafkaEventBus } from '@audiosplit/chassis/event-bus/kafka/kafka';
import { ensureTopics } from '@audiosplit/chassis/event-bus/kafka/topics';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { environmentOf } from './environment.ts';
import { readProcessLogins } from './process-logins.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';

/** Not in access.ts. */
const TOPIC = { name: 'audiosplit.of-a-test', partitions: 1, retentionMs: 60_000 };
let dir: string;
let administrator: Env;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audiosplit-kafka-acls-'));
  administrator = environmentOf(await startEngines({ dir, only: ['kafka'], restricted: true }));
});
after(async () => {
  await stopEngines({ dir });
  await rm(dir, { recursive: true, force: true });
});

function openAsJobs(startTimeoutMs: number, onLog: (line: string) => void = () => undefined) {
  const env = { ...administrator, ...readProcessLogins(dir).jobs };
  return openKafkaEventBus({
    ...(readKafkaConnection(env) ?? assert.fail('there are brokers')),
    clientId: 'jobs',
    topics: [TOPIC],
    log: createLogger('jobs', 'warn', { write: onLog }),
    startTimeoutMs,
  });
}

/** As `grant-access` does for the topics of access.ts. */
async function grantTopic(): Promise<void> {
  const connection = readKafkaConnection(administrator) ?? assert.fail('there are brokers');
  const admin = new Kafka({
    ...connection.security,
    brokers: [...connection.brokers],
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    await ensureTopics(admin, [TOPIC], silentLogger());
    await admin.createAcls({
      acl: [AclOperationTypes.DESCRIBE, AclOperationTypes.DESCRIBE_CONFIGS].map((operation) => ({
        principal: 'User:jobs',
        host: '*',
        operation,
        resourceType: AclResourceTypes.TOPIC,
        resourceName: TOPIC.name,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        permissionType: AclPermissionTypes.ALLOW,
      })),
    });
  } finally {
    await admin.disconnect();
  }
}

test('a process without ACLs ends at its start, and reports that it has none', async () => {
  await assert.rejects(openAsJobs(0), (error) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /has no ACLs yet for the login of this process.*audiosplit\.of-a-test/);
    return true;
  });
});

test('a process waits for its ACLs, and reports that it waits', async () => {
  const waits = Promise.withResolvers<string>();
  const opening = openAsJobs(60_000, (line) => {
    const { msg, reason } = JSON.parse(line);
    if (/not ready for the topics yet/.test(msg)) waits.resolve(reason);
  });
  assert.match(await waits.promise, /has no ACLs yet for the login of this process/);
  await grantTopic();
  await using _bus = await opening;
});
