import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import type { KafkaConfig } from 'kafkajs';
import { freePort } from '../provision/free-port.ts';
import type { Launch } from '../provision/launch.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Address, Engine, Preparation, ProxiedListener, SecuredListener } from './engine.ts';
import { KAFKA_USER, restrictedProperties, restrictKafka } from './kafka-access.ts';
import { ensureKafka } from './kafka-distribution.ts';

/** Kafka in KRaft mode: one JVM is broker and controller. */
export const kafka: Engine = {
  name: 'kafka',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  restrict: (address) => restrictKafka(clientOf(address)),
  endpoints: ({ port, secret, secured, restricted }) => ({
    kafkaBrokers: secured === undefined ? `127.0.0.1:${port}` : `localhost:${secured.port}`,
    ...(restricted === true
      ? { kafkaMechanism: 'plain', kafkaUsername: KAFKA_USER, kafkaPassword: secret }
      : {}),
  }),
};

/** One node, so every factor is 1; a group's first rebalance does not wait for further members. */
export function serverProperties(
  logDir: string,
  listeners: {
    readonly port: number;
    readonly controllerPort: number;
    readonly proxied?: ProxiedListener | undefined;
    readonly secured?: (Omit<SecuredListener, 'authorityFile'> & { readonly secret: string }) | undefined;
    /** Undefined: only the secured listener requires a login, and all clients have all permissions. */
    readonly restrictedBy?: string | undefined;
  },
): string {
  const { port, controllerPort, proxied, secured, restrictedBy } = listeners;
  const protocol = restrictedBy === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT';
  const local = (name: string, listenerPort: number) => `${name}://127.0.0.1:${listenerPort}`;
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    // Voters from the configuration, not from the log, because the controller may restart on another port.
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    listeners: [
      local('PLAINTEXT', port),
      local('CONTROLLER', controllerPort),
      ...(proxied === undefined ? [] : [local('PROXIED', proxied.port)]),
      ...(secured === undefined ? [] : [local('SECURED', secured.port)]),
    ].join(),
    'advertised.listeners': [
      local('PLAINTEXT', port),
      ...(proxied === undefined ? [] : [local('PROXIED', proxied.advertisedPort)]),
      ...(secured === undefined ? [] : [`SECURED://localhost:${secured.port}`]),
    ].join(),
    'listener.security.protocol.map': [
      ...['PLAINTEXT', 'CONTROLLER', 'PROXIED'].map((name) => `${name}:${protocol}`),
      'SECURED:SASL_SSL',
    ].join(),
    ...(restrictedBy === undefined
      ? {}
      : restrictedProperties(restrictedBy, ['plaintext', 'controller', 'proxied'])),
    ...(secured === undefined ? {} : securedProperties(secured.identityFile, secured.secret)),
    'log.dirs': logDir,
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.num.partitions': 1,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function securedProperties(identityFile: string, secret: string): Record<string, string> {
  const login = 'org.apache.kafka.common.security';
  const properties = {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': identityFile,
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${KAFKA_USER}="${secret}";`,
    'scram-sha-256.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
    'scram-sha-512.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
  };
  const ofListener = Object.entries(properties).map(([name, value]) => [
    `listener.name.secured.${name}`,
    value,
  ]);
  return Object.fromEntries(ofListener);
}

async function prepare(preparation: Preparation): Promise<Launch> {
  const { port, proxied, secured, restricted, secret, dataDir, task } = preparation;
  const { java, classPath } = await ensureKafka(task);
  const logDir = join(dataDir, 'log');
  const propertiesFile = join(dataDir, 'server.properties');
  const controllerPort = await freePort();
  const listeners = {
    ...{ port, controllerPort, proxied, secured: secured && { ...secured, secret } },
    restrictedBy: restricted === true ? secret : undefined,
  };
  // The file may contain passwords.
  await writeFile(propertiesFile, '', { mode: 0o600 });
  await chmod(propertiesFile, 0o600);

  if (!existsSync(logDir)) {
    await task.step('formatting the log', async () => {
      const partial = join(dataDir, 'log.partial');
      await rm(partial, { recursive: true, force: true });
      await writeFile(propertiesFile, serverProperties(partial, listeners));
      const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
      const logins = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
        (mechanism) => `--add-scram=${mechanism}=[name=${KAFKA_USER},password=${secret}]`,
      );
      const format = ['format', `--cluster-id=${clusterId}`, `--config=${propertiesFile}`];
      if (secured !== undefined) format.push(...logins);
      const tool = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', classPath, 'kafka.tools.StorageTool'];
      await runTool(java, [...tool, ...format], { signal: task.signal });
      await rename(partial, logDir);
    });
  }
  await writeFile(propertiesFile, serverProperties(logDir, listeners));

  const logging = [
    'defaultLogLevel=warn',
    'showDateTime=true',
    "dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  ].map((setting) => `-Dorg.slf4j.simpleLogger.${setting}`);
  return {
    command: java,
    args: ['-Xms128m', '-Xmx512m', ...logging, '-cp', classPath, 'kafka.Kafka', propertiesFile],
  };
}

function clientOf({ port, secret, restricted }: Address, options: Partial<KafkaConfig> = {}): Kafka {
  return new Kafka({
    clientId: 'engines',
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    ...(restricted === true ? { sasl: { mechanism: 'plain', username: KAFKA_USER, password: secret } } : {}),
    ...options,
  });
}

async function probe(address: Address): Promise<void> {
  const timeouts = { connectionTimeout: 2_000, requestTimeout: 2_000, retry: { retries: 0 } };
  const admin = clientOf(address, timeouts).admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    // Until the controller admits the broker, the cluster reports no brokers at all.
    if (!brokers.some((broker) => broker.port === address.port))
      throw new Error('the broker has not joined its cluster yet');
  } finally {
    await admin.disconnect();
  }
}
