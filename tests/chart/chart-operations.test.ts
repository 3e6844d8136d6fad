import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from './chart-manifests.ts';
import { checkTools } from './chart-operations.ts';
import { fromSecret, labelsOf, workload } from './manifests.fixture.ts';
import type { Container } from './pod-spec.ts';

type Variables = NonNullable<Container['env']>;

const labels = labelsOf('tools');
const DATABASE = fromSecret('DATABASE_URL');
const KAFKA = { name: 'KAFKA_BROKERS', value: 'kafka:9092' };
const STORAGE = { name: 'STORAGE_URL', value: 's3://bucket' };
const RELEASE: readonly Manifest[] = [
  { kind: 'Service', metadata: { name: 'audio-billing' } },
  workload('Deployment', [{ name: 'jobs', env: [KAFKA, STORAGE] }]),
];

function scheduled(args: readonly string[], env: Variables): readonly string[] {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'backup', args, env }] } };
  const job = { kind: 'CronJob', metadata: { name: 'b' }, spec: { jobTemplate: { spec: { template } } } };
  return checkTools([...RELEASE, job]);
}

function idling(env: Variables): readonly string[] {
  const containers = [{ name: 'tools', env }];
  return checkTools([...RELEASE, { kind: 'Pod', metadata: { name: 'p', labels }, spec: { containers } }]);
}

test('a backup that knows the database and the bus is well', () => {
  assert.deepEqual(scheduled(['backup', '--into', '/backups', '--keep', '3'], [DATABASE, KAFKA]), []);
});

test('a command that its program does not understand', () => {
  const [fault] = scheduled(['backup', '--into', '/backups'], [DATABASE, KAFKA]);
  assert.match(fault ?? '', /^CronJob b: --into takes --keep/);
});

test('a backup that takes the bus for another, or lacks the database', () => {
  assert.deepEqual(scheduled(['backup', '/b'], [DATABASE]), [
    'CronJob b: KAFKA_BROKERS is undefined, and jobs has kafka:9092',
  ]);
  assert.deepEqual(scheduled(['backup', '/b'], [KAFKA]), ['CronJob b: it has no DATABASE_URL']);
  assert.deepEqual(scheduled(['backup', '/b'], [DATABASE, KAFKA, { name: 'KAFKA_TLS', value: 'true' }]), [
    'CronJob b: KAFKA_TLS is true, and jobs has undefined',
  ]);
});

test('a pod for every command has to know all that they read', () => {
  const billing = (host: string) => ({ name: 'BILLING_RPC_URL', value: `http://${host}:9090` });
  assert.deepEqual(idling([DATABASE, KAFKA, STORAGE, billing('audio-billing')]), []);
  assert.deepEqual(
    idling([DATABASE, KAFKA, billing('audio-jobs'), { name: 'REDIS_URL', value: 'redis://r' }]),
    [
      'Pod p: nothing reads REDIS_URL',
      'Pod p: STORAGE_URL is undefined, and jobs has s3://bucket',
      'Pod p: BILLING_RPC_URL leads to audio-jobs, which is no Service of the release',
    ],
  );
});
