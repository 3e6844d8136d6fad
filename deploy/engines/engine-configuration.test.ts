import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../launcher.mjs';
import { kafka, serverProperties } from './kafka.ts';
import { postgres, serverArguments as postgresArguments } from './postgres.ts';
import { redis, serverArguments as redisArguments } from './redis.ts';
import { aclFile } from './redis-access.ts';
import { versitygw } from './versitygw.ts';

function assertLines(text: string, ...lines: readonly string[]): void {
  for (const line of lines) assert.ok(text.split('\n').includes(line), line);
}

test('Kafka is one node on the loopback interface that creates no topics by itself', () => {
  assertLines(
    serverProperties('/data/log', { port: 9092, controllerPort: 9093 }),
    'listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093',
    'advertised.listeners=PLAINTEXT://127.0.0.1:9092',
    'controller.quorum.voters=1@127.0.0.1:9093',
    'log.dirs=/data/log',
    'auto.create.topics.enable=false',
    'offsets.topic.num.partitions=1',
    'offsets.topic.replication.factor=1',
    'group.initial.rebalance.delay.ms=0',
  );
});

test('Kafka announces the address of the proxy to clients that connect through one', () => {
  const proxied = { port: 9094, advertisedPort: 9095 };
  assertLines(
    serverProperties('/data/log', { port: 9092, controllerPort: 9093, proxied }),
    'listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093,PROXIED://127.0.0.1:9094',
    'advertised.listeners=PLAINTEXT://127.0.0.1:9092,PROXIED://127.0.0.1:9095',
  );
});

const SECURED = { port: 9096, identityFile: '/tls/identity.pem', authorityFile: '/tls/authority.pem' };

test('with a certificate Kafka accepts logins over TLS on another port, under the name of the machine', () => {
  const secured = { ...SECURED, secret: 'S3cret' };
  assertLines(
    serverProperties('/data/log', { port: 9092, controllerPort: 9093, secured }),
    'listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093,SECURED://127.0.0.1:9096',
    'advertised.listeners=PLAINTEXT://127.0.0.1:9092,SECURED://localhost:9096',
    'listener.name.secured.ssl.keystore.location=/tls/identity.pem',
    'listener.name.secured.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
  );
  const endpoints = kafka.endpoints({ port: 9092, secret: '', secured: SECURED });
  assert.deepEqual(endpoints, { kafkaBrokers: 'localhost:9096' });
});

test('with a certificate the other engines use TLS, with the name of the machine', () => {
  const address = { port: 7000, secret: 'S3cret', secured: SECURED };
  assert.match(redisArguments('/data', 6379, SECURED).join(' '), /--tls-port 9096 --tls-cert-file \/tls\//);
  assert.ok(postgresArguments('/data', 5432, SECURED).includes('ssl_key_file=/tls/identity.pem'));
  assert.equal(redis.endpoints(address).redisUrl, 'rediss://localhost:9096');
  const { databaseUrl = '' } = postgres.endpoints(address);
  assert.match(databaseUrl, /@localhost:7000\/audiosplit\?sslmode=verify-full$/);
  assert.match(versitygw.endpoints(address).storageUrl ?? '', /endpoint=https:\/\/localhost:7000&/);
});

test('PostgreSQL listens only on the loopback interface, without a socket file', () => {
  const settings = postgresArguments('/data', 5432).filter((argument) => argument.includes('='));
  assert.equal(
    settings.join(' '),
    'listen_addresses=127.0.0.1 port=5432 unix_socket_directories= max_connections=200 fsync=off full_page_writes=off',
  );
});

test('Redis writes nothing to the disk', () => {
  assert.equal(
    redisArguments('/data', 6379).join(' '),
    '--bind 127.0.0.1 --port 6379 --save  --appendonly no --daemonize no --dir /data',
  );
});

test('the trial of the chart gives the gateway the same rights in Redis', () => {
  const [, rules = 'none'] = /^user gateway on >\S+ (.+)$/m.exec(aclFile('secret')) ?? [];
  const template = readFileSync(join(repositoryRoot, 'charts/audiosplit/templates/secret.yaml'), 'utf8');
  assert.ok(template.includes(`"${rules}"`), rules);
});
