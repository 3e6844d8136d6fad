import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { planProcesses } from './process-plan.ts';

const ports = {
  services: { billing: 1001, auth: 1002, account: 1003, webhooks: 1004, jobs: 1005 },
  gateways: [2001, 2002],
  splitters: [3001, 3002, 3003],
  splitter: 3000,
};

const { phases } = planProcesses({
  ports,
  code: 'source',
  env: { PATH: '/bin', DATABASE_URL: 'postgres://admin@127.0.0.1/db', DRAIN_GRACE_SECONDS: '4' },
  internalSecret: 'x'.repeat(32),
  databaseUrlOf: (service) => `postgres://${service}@127.0.0.1/db`,
  scratchDir: '/scratch',
  balancer: { command: 'haproxy', configFile: '/haproxy.cfg', baseUrl: 'http://127.0.0.1:8080' },
});
const specs = phases.flat();
const envOf = (name: string) => specs.find((spec) => spec.name === name)?.env ?? {};

test('callers are stopped before those they call', () => {
  assert.deepEqual(
    phases.map((phase) => phase.map(({ name }) => name)),
    [
      ['balancer', 'gateway-0', 'gateway-1', 'splitter-0', 'splitter-1', 'splitter-2'],
      ['billing', 'auth', 'account', 'webhooks', 'jobs'],
    ],
  );
});

test('every process has a port and a database login of its own, and finds the others', () => {
  assert.deepEqual([envOf('gateway-1').PORT, envOf('splitter-2').RPC_PORT], ['2002', '3003']);
  assert.equal(envOf('jobs').RPC_PORT, '1005');
  assert.equal(envOf('jobs').DATABASE_URL, 'postgres://jobs@127.0.0.1/db');
  const elsewhere = specs.filter(({ name }) => envOf(name).DATABASE_URL?.includes('admin'));
  assert.deepEqual([elsewhere, envOf('gateway-0').DATABASE_URL], [[], undefined]);
  assert.equal(envOf('gateway-0').BILLING_RPC_URL, 'http://127.0.0.1:1001');
  assert.equal(envOf('jobs').SPLITTER_RPC_URL, 'http://127.0.0.1:3000', 'the balancer stands before them');
  assert.notEqual(envOf('splitter-0').SCRATCH_DIR, envOf('splitter-1').SCRATCH_DIR);
  assert.ok(specs.every(({ env }) => env.MIGRATE !== 'true'));
});

test('a splitter gets its grace before it is killed', () => {
  const of = (name: string) => specs.find((spec) => spec.name === name)?.stopTimeoutMs ?? 0;
  assert.ok(of('splitter-0') >= 4_000 + 20_000);
});

test('what is to be started exists', () => {
  for (const { name, args } of specs.filter((spec) => spec.name !== 'balancer')) {
    assert.ok(existsSync(args.at(-1) ?? ''), name);
  }
});
