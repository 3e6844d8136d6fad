/** The contract of the bus over TLS with a login, as the environment of a process sets it. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import type { TopicDeclaration } from '@audiosplit/chassis/event-bus/event-bus';
import { testEventBusContract } from '@audiosplit/chassis/event-bus/event-bus.contract';
import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { type KafkaEventBusOptions, openKafkaEventBus } from '@audiosplit/chassis/event-bus/kafka/kafka';
import { openOperations, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import type { Env } from '@audiosplit/chassis/process/env';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { freePort } from '../provision/free-port.ts';
import { readState } from './engines-state.ts';
import { KAFKA_USER } from './kafka-access.ts';
import { makeAuthority } from './private-authority.ts';
import { startEngines } from './start-engines.ts';
import { stopEngines } from './stop-engines.ts';

const publicAuthorities = tls.getCACertificates('default');
let dir: string;
let authority: string;
let env: Env;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audiosplit-kafka-secured-'));
  const { certificateFile, issue } = await makeAuthority(dir, 'authority');
  authority = await readFile(certificateFile, 'utf8');
  const identityFile = join(dir, 'kafka.pem');
  await issue(identityFile);
  const kafka = { port: await freePort(), identityFile, authorityFile: certificateFile };
  const { kafkaBrokers } = await startEngines({ dir, only: ['kafka'], secured: { kafka } });
  env = {
    KAFKA_BROKERS: kafkaBrokers,
    KAFKA_TLS: 'true',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: KAFKA_USER,
    KAFKA_SASL_PASSWORD: readState(dir).kafka?.secret,
  };
  trust(authority);
});
after(async () => {
  await stopEngines({ dir });
  await rm(dir, { recursive: true, force: true });
});

/** As NODE_EXTRA_CA_CERTS does from the start of a process on. */
const trust = (...authorities: readonly string[]) =>
  tls.setDefaultCACertificates([...publicAuthorities, ...authorities]);
const connection = () => readKafkaConnection(env) ?? assert.fail('there are brokers');

const openBus = (topics: readonly TopicDeclaration[], others: Partial<KafkaEventBusOptions>) =>
  openKafkaEventBus({
    ...connection(),
    clientId: 'event-bus-test',
    topics,
    log: silentLogger(),
    ...others,
  });

testEventBusContract('Kafka over TLS, with a login', {
  open: (topics, redeliveryDelayMs) => openBus(topics, { redeliveryDelayMs }),
});

for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
  test(`${mechanism} accepts clients with the password, and no others`, async () => {
    const operator: Env = { ...env, KAFKA_SASL_MECHANISM: mechanism };
    await using operations = await openOperations(readBusLocation(operator));
    await operations.lag();
    await assert.rejects(
      openOperations(readBusLocation({ ...operator, KAFKA_SASL_PASSWORD: 'another' })),
      /there is no bus where KAFKA_BROKERS says: .*authentication/is,
    );
  });
}

const TOPICS = [{ name: 'secured', partitions: 1, retentionMs: 60_000 }];

test('a start with a rejected login ends at once, with one line', async () => {
  const security = {
    ssl: true,
    sasl: { mechanism: 'plain', username: KAFKA_USER, password: 'another' },
  } as const;
  await assert.rejects(
    openBus(TOPICS, { security }),
    /^StartError: Kafka at localhost:\d+ cannot be used: .*auth/i,
  );
});

test('a start with an unknown authority ends at once too, and names the file of the known ones', async () => {
  trust();
  try {
    const impatient = { connection: { retry: { retries: 1 } } };
    await assert.rejects(
      openBus(TOPICS, impatient),
      /^StartError: Kafka at localhost:\d+ cannot be used: .*not taken .*NODE_EXTRA_CA_CERTS/,
    );
  } finally {
    trust(authority);
  }
});
