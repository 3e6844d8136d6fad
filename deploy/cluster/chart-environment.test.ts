import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEnvironments, type Manifest } from './chart-environment.ts';
import { documentsOf } from './yaml-to-json.ts';

const fromSecret = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } });
const webhooks = [
  { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
  fromSecret('DATABASE_URL'),
  fromSecret('INTERNAL_SECRET'),
  fromSecret('WEBHOOKS_SECRET'),
];

function faultsOf(name: string, env: readonly { readonly name: string; readonly value?: string }[]) {
  const manifest: Manifest = {
    kind: 'Deployment',
    spec: { template: { spec: { containers: [{ name, env }] } } },
  };
  return checkEnvironments([manifest]).filter((fault) => !fault.startsWith('there is no Deployment'));
}

test('a process that is told what it reads is well', () => {
  assert.deepEqual(faultsOf('webhooks', webhooks), []);
});

test('components without a Deployment are named', () => {
  assert.equal(checkEnvironments([]).length, 7);
});

test('a value that its process refuses is shown with the reason', () => {
  const [fault] = faultsOf('webhooks', [...webhooks, { name: 'DRAIN_DELAY_SECONDS', value: '5s' }]);
  assert.match(fault ?? '', /^webhooks: DRAIN_DELAY_SECONDS is "5s"; allowed: a whole number/);
});

test('a variable that nobody reads, one that is set twice, and a service that is not called', () => {
  const faults = faultsOf('webhooks', [
    ...webhooks,
    { name: 'WEBHOOK_TIMEOUT', value: '5' },
    { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
    { name: 'JOBS_RPC_URL', value: 'http://jobs:9090' },
  ]);
  assert.deepEqual(faults, [
    'webhooks: KAFKA_BROKERS is set twice',
    'webhooks: it is told where these are: jobs; and calls these: ',
    'webhooks: nothing reads WEBHOOK_TIMEOUT',
  ]);
});

test("the operators' console is one process more where it is wanted", () => {
  const told = [
    fromSecret('OPERATORS_CREDENTIALS'),
    fromSecret('INTERNAL_SECRET'),
    { name: 'BILLING_RPC_URL', value: 'http://billing:9090' },
    { name: 'JOBS_RPC_URL', value: 'http://jobs:9090' },
    { name: 'KAFKA_BROKERS', value: 'kafka:9092' },
  ];
  assert.deepEqual(faultsOf('operators', told), []);
  const [fault] = faultsOf('operators', [...told, { name: 'OPERATORS_LINKS', value: 'Grafana' }]);
  assert.match(fault ?? '', /^operators: OPERATORS_LINKS is "Grafana"; allowed: Name=https/);
});

test('a service that is called and that it is not told of', () => {
  const faults = faultsOf('auth', [...webhooks.slice(0, 3), fromSecret('AUTH_SECRET')]);
  assert.deepEqual(faults, ['auth: it is told where these are: ; and calls these: billing']);
});

test('documents are told apart, and comments are none', () => {
  assert.deepEqual(documentsOf('---\n# nothing\n---\nkind: A\n---\n# Source: b\nkind: B\ntext: |\n  ---\n'), [
    '\nkind: A\n',
    '\n# Source: b\nkind: B\ntext: |\n  ---\n',
  ]);
});
