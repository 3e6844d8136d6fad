import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEnvironments } from './chart-environment.ts';
import type { Manifest } from './chart-manifests.ts';
import { fromSecret, identityOf, workload } from './manifests.fixture.ts';
import type { Container } from './pod-spec.ts';
import { documentsOf } from './yaml-to-json.ts';

const webhooks = [
  { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
  fromSecret('DATABASE_URL'),
  fromSecret('WEBHOOKS_SECRET'),
  ...identityOf('webhooks'),
];

const manifest = (kind: string, container: Container) => workload(kind, [container]);

function faultsIn(...manifests: readonly Manifest[]): readonly string[] {
  return checkEnvironments(manifests).filter((fault) => !fault.startsWith('there is no Deployment'));
}

function faultsOf(name: string, env: NonNullable<Container['env']>) {
  return faultsIn(manifest('Deployment', { name, env }));
}

test('a process that gets exactly what it reads has no fault', () => {
  assert.deepEqual(faultsOf('webhooks', webhooks), []);
});

test('components without a Deployment are named', () => {
  assert.equal(checkEnvironments([]).length, 7);
});

test('a secret in plain text, and a URL that holds none', () => {
  const signedIn = (value: string) => [
    ...webhooks.filter(({ name }) => name !== 'DATABASE_URL'),
    { name: 'DATABASE_URL', value },
  ];
  assert.deepEqual(faultsOf('webhooks', signedIn('postgresql://me:word@db/audiosplit')), [
    'webhooks: DATABASE_URL is in plain text',
  ]);
  assert.deepEqual(faultsOf('webhooks', signedIn('postgresql://db/audiosplit')), []);
  const [plain] = faultsOf('webhooks', [
    ...webhooks.filter(({ name }) => name !== 'WEBHOOKS_SECRET'),
    { name: 'WEBHOOKS_SECRET', value: 'x'.repeat(32) },
  ]);
  assert.equal(plain, 'webhooks: WEBHOOKS_SECRET is in plain text');
});

test('the private key of another process', () => {
  const env = [...webhooks.slice(0, 3), ...identityOf('gateway')];
  assert.deepEqual(faultsOf('webhooks', env), ['webhooks: it signs with gateway-private-key']);
});

test('a secret by the environment, and a file that is not named', () => {
  const sources = ['DATABASE_URL', 'WEBHOOKS_SECRET', 'OTHER'].map((path) => ({
    secret: { name: 'a', items: [{ key: path.toLowerCase(), path }] },
  }));
  const pod = (env: NonNullable<Container['env']>) => ({
    containers: [{ name: 'tool', env, volumeMounts: [{ name: 'secrets', mountPath: '/secrets' }] }],
    volumes: [{ name: 'secrets', projected: { sources } }],
  });
  const faults = faultsIn({
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: pod([
      { name: 'DATABASE_URL_FILE', value: '/secrets/DATABASE_URL' },
      { name: 'WEBHOOKS_SECRET', valueFrom: { secretKeyRef: { name: 'a', key: 'webhooks_secret' } } },
      { name: 'OTHER_FILE', value: '/elsewhere/OTHER' },
    ]),
  });
  assert.deepEqual(faults, [
    'Pod p: WEBHOOKS_SECRET is a secret in the environment of tool',
    'Pod p: tool has /secrets/WEBHOOKS_SECRET, which none of its variables names',
    'Pod p: tool has /secrets/OTHER, which none of its variables names',
  ]);
});

test('a value that its process refuses is shown with the reason', () => {
  const [fault] = faultsOf('webhooks', [...webhooks, { name: 'DRAIN_DELAY_SECONDS', value: '5s' }]);
  assert.match(fault ?? '', /^webhooks: DRAIN_DELAY_SECONDS is "5s"; allowed: a whole number/);
});

test('a variable that is not read, one that is set twice, and a service that is not called', () => {
  const faults = faultsOf('webhooks', [
    ...webhooks,
    { name: 'WEBHOOK_TIMEOUT', value: '5' },
    { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
    { name: 'JOBS_RPC_URL', value: 'http://jobs:9090' },
  ]);
  assert.deepEqual(faults, [
    'webhooks: KAFKA_BROKERS is set twice',
    'webhooks: nothing reads WEBHOOK_TIMEOUT',
    'webhooks: it has the URLs of these: jobs; and calls these: ',
  ]);
});

test('a file of authorities that no volume has', () => {
  const env = [...webhooks, { name: 'NODE_EXTRA_CA_CERTS', value: '/trust/ca.pem' }];
  const withMount = (mountPath: string) =>
    faultsIn(manifest('Deployment', { name: 'webhooks', env, volumeMounts: [{ name: 'trust', mountPath }] }));
  assert.deepEqual(withMount('/trust'), []);
  assert.match(
    withMount('/tmp').join(),
    /^webhooks: NODE_EXTRA_CA_CERTS is \/trust\/ca\.pem, where nothing is/,
  );
});

test("the operators' console is one process more where it is wanted", () => {
  const variables = [
    fromSecret('OPERATORS_CREDENTIALS'),
    ...identityOf('operator'),
    { name: 'AUTH_RPC_URL', value: 'http://auth:9090' },
    { name: 'BILLING_RPC_URL', value: 'http://billing:9090' },
    { name: 'JOBS_RPC_URL', value: 'http://jobs:9090' },
    { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
  ];
  assert.deepEqual(faultsOf('operators', variables), []);
  const [fault] = faultsOf('operators', [...variables, { name: 'OPERATORS_LINKS', value: 'Grafana' }]);
  assert.match(fault ?? '', /^operators: OPERATORS_LINKS is "Grafana"; allowed: Name=https/);
});

test('a service that is called and whose URL is missing', () => {
  const faults = faultsOf('auth', [
    ...webhooks.slice(0, 2),
    fromSecret('AUTH_SECRET'),
    ...identityOf('auth'),
  ]);
  assert.deepEqual(faults, ['auth: it has the URLs of these: ; and calls these: billing']);
});

test('a schema is migrated by a Job or by its service, and by one of them', () => {
  const service = (migrate: string) =>
    manifest('Deployment', { name: 'webhooks', env: [...webhooks, { name: 'MIGRATE', value: migrate }] });
  const job = (migrate: string) =>
    manifest('Job', {
      name: 'webhooks',
      env: [...webhooks.slice(0, 2), { name: 'MIGRATE', value: migrate }],
    });
  assert.deepEqual(faultsIn(service('false'), job('only')), []);
  assert.deepEqual(faultsIn(service('true')), []);
  assert.deepEqual(faultsIn(service('false')), ['webhooks: its schema is migrated by no process']);
  assert.deepEqual(faultsIn(service('true'), job('only')), [
    'webhooks: its schema is migrated by a Job and by itself',
  ]);
  assert.deepEqual(faultsIn(service('false'), job('true')), [
    'migrations of webhooks: MIGRATE is true: it would stay and serve',
  ]);
});

test('a Job that lacks a variable, or has one too many', () => {
  const env = [
    { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
    { name: 'MIGRATE', value: 'only' },
    { name: 'MIGRATION', value: '1' },
  ];
  const [missing, unread] = faultsIn(manifest('Job', { name: 'webhooks', env }));
  assert.match(missing ?? '', /^migrations of webhooks: DATABASE_URL is not set/);
  assert.equal(unread, 'migrations of webhooks: nothing reads MIGRATION');
});

test('documents are separated, and comments are none', () => {
  assert.deepEqual(documentsOf('---\n# nothing\n---\nkind: A\n---\n# Source: b\nkind: B\ntext: |\n  ---\n'), [
    '\nkind: A\n',
    '\n# Source: b\nkind: B\ntext: |\n  ---\n',
  ]);
});
