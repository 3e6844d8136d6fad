import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import type { Address, Engine, Launch, Preparation, ProxiedListener } from './engine.ts';
import { freePort } from './free-port.ts';
import { ensureKafka } from './kafka-distribution.ts';
import { runTool } from './run-tool.ts';

/** Kafka in KRaft mode: one JVM is broker and controller. */
export const kafka: Engine = {
  name: 'kafka',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  endpoints: ({ port }) => ({ kafkaBrokers: `127.0.0.1:${port}` }),
};

export interface BrokerPorts {
  readonly port: number;
  readonly controllerPort: number;
  readonly proxied?: ProxiedListener | undefined;
}

/** One node, so every factor is 1; no waiting for further members before a group's first rebalance. */
export function serverProperties(logDir: string, { port, controllerPort, proxied }: BrokerPorts): string {
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
    ].join(),
    'advertised.listeners': [
      local('PLAINTEXT', port),
      ...(proxied === undefined ? [] : [local('PROXIED', proxied.advertisedPort)]),
    ].join(),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT',
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

async function prepare({ port, proxied, dataDir, task }: Preparation): Promise<Launch> {
  const { java, classPath } = await ensureKafka(task);
  const logDir = join(dataDir, 'log');
  const propertiesFile = join(dataDir, 'server.properties');
  const ports = { port, controllerPort: await freePort(), proxied };

  if (!existsSync(logDir)) {
    await task.step('formatting the log', async () => {
      const partial = join(dataDir, 'log.partial');
      await rm(partial, { recursive: true, force: true });
      await writeFile(propertiesFile, serverProperties(partial, ports));
      const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
      const format = ['format', `--cluster-id=${clusterId}`, `--config=${propertiesFile}`];
      await runTool(
        java,
        ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', classPath, 'kafka.tools.StorageTool', ...format],
        { signal: task.signal },
      );
      await rename(partial, logDir);
    });
  }
  await writeFile(propertiesFile, serverProperties(logDir, ports));

  return {
    command: java,
    args: [
      '-Xms128m',
      '-Xmx512m',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-Dorg.slf4j.simpleLogger.showDateTime=true',
      "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
      '-cp',
      classPath,
      'kafka.Kafka',
      propertiesFile,
    ],
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
