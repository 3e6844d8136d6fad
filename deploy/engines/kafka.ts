import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import { freePort } from '../provision/free-port.ts';
import type { Launch } from '../provision/launch.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Address, Engine, Preparation, ProxiedListener, SecuredListener } from './engine.ts';
import { ensureKafka } from './kafka-distribution.ts';

/** Who may come in where a login is asked for; the password is the engine's secret. */
export const KAFKA_USER = 'audiosplit';

/** Kafka in KRaft mode: one JVM is broker and controller. */
export const kafka: Engine = {
  name: 'kafka',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  endpoints: ({ port, secured }) => ({
    kafkaBrokers: secured === undefined ? `127.0.0.1:${port}` : `localhost:${secured.port}`,
  }),
};

/** One node, so every factor is 1; no waiting for further members before a group's first rebalance. */
export function serverProperties(
  logDir: string,
  listeners: {
    readonly port: number;
    readonly controllerPort: number;
    readonly proxied?: ProxiedListener | undefined;
    readonly secured?: (Omit<SecuredListener, 'authorityFile'> & { readonly secret: string }) | undefined;
  },
): string {
  const { port, controllerPort, proxied, secured } = listeners;
  const local = (name: string, listenerPort: number) => `${name}://127.0.0.1:${listenerPort}`;
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    // Voters from the configuration, not from the log: the controller may come back on another port.
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
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT,SECURED:SASL_SSL',
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

async function prepare({ port, proxied, secured, secret, dataDir, task }: Preparation): Promise<Launch> {
  const { java, classPath } = await ensureKafka(task);
  const logDir = join(dataDir, 'log');
  const propertiesFile = join(dataDir, 'server.properties');
  const controllerPort = await freePort();
  const listeners = { port, controllerPort, proxied, secured: secured && { ...secured, secret } };

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

async function probe({ port }: Address): Promise<void> {
  const admin = new Kafka({
    clientId: 'engines-probe',
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 2_000,
    requestTimeout: 2_000,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    // Until the controller lets the broker in, the cluster answers with no brokers at all.
    if (!brokers.some((broker) => broker.port === port))
      throw new Error('the broker has not joined its cluster yet');
  } finally {
    await admin.disconnect();
  }
}
