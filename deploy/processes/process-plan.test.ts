import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { privateKeyVariable } from '@audiosplit/chassis/identity/identity-environment';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { type PlanOptions, planProcesses } from './process-plan.ts';

const pair = (active: number) => ({ active, standby: active + 100 });
const ports = {
  services: {
    billing: [pair(1001)],
    auth: [pair(1002)],
    account: [pair(1003)],
    webhooks: [pair(1004)],
    jobs: [pair(1005)],
  },
  gateways: [pair(2001), pair(2002)],
  splitters: [pair(3001), pair(3002), { active: 3003 }],
  calls: { billing: 4001, auth: 4002, account: 4003, webhooks: 4004, jobs: 4005, splitter: 4006 },
};

const plan = {
  ports,
  code: 'source',
  env: { PATH: '/bin', DATABASE_URL: 'postgres://admin@127.0.0.1/db', DRAIN_GRACE_SECONDS: '4' },
  databaseUrlOf: (service) => `postgres://${service}@127.0.0.1/db`,
  scratchDir: '/scratch',
  balancer: { command: 'haproxy', configFile: '/haproxy.cfg', baseUrl: 'http://127.0.0.1:8080' },
} satisfies PlanOptions;
const phases = planProcesses(plan);
const specs = phases.flat();
const envOf = (name: string) => specs.find((spec) => spec.name === name)?.env ?? {};

test('callers are stopped before the processes that they call', () => {
  assert.deepEqual(
    phases.map((phase) => phase.map(({ name }) => name).join(' ')),
    ['balancer gateway-0 gateway-1 splitter-0 splitter-1 splitter-2', 'billing auth account webhooks jobs'],
  );
});

test('replicas of a service have their own names and port pairs, and are called at one address', () => {
  const services = { ...ports.services, jobs: [pair(1005), pair(1006)] };
  const replicated = planProcesses({ ...plan, ports: { ...ports, services } }).flat();
  const planned = replicated
    .filter(({ name }) => name.startsWith('jobs'))
    .map(({ name, env, spare }) => [name, env.RPC_PORT, spare?.env.RPC_PORT, env.JOBS_RPC_URL]);
  assert.deepEqual(planned, [
    ['jobs-0', '1005', '1105', 'http://127.0.0.1:4005'],
    ['jobs-1', '1006', '1106', 'http://127.0.0.1:4005'],
  ]);
});

test('every process has its own port and database login, and the addresses of the others', () => {
  assert.deepEqual([envOf('gateway-1').PORT, envOf('splitter-2').RPC_PORT], ['2002', '3003']);
  assert.equal(envOf('jobs').RPC_PORT, '1005');
  assert.equal(envOf('jobs').DATABASE_URL, 'postgres://jobs@127.0.0.1/db');
  const elsewhere = specs.filter(({ name }) => envOf(name).DATABASE_URL?.includes('admin'));
  assert.deepEqual([elsewhere, envOf('gateway-0').DATABASE_URL], [[], undefined]);
  assert.equal(envOf('gateway-0').BILLING_RPC_URL, 'http://127.0.0.1:4001');
  assert.equal(envOf('jobs').SPLITTER_RPC_URL, 'http://127.0.0.1:4006', 'the address of the balancer');
  assert.notEqual(envOf('splitter-0').SCRATCH_DIR, envOf('splitter-1').SCRATCH_DIR);
  assert.ok(specs.every(({ env }) => env.MIGRATE !== 'true'));
});

test('a process has its own engine logins, and no secret of another process', () => {
  const env = {
    ...plan.env,
    AUTH_SECRET: 'a',
    WEBHOOKS_SECRET: 'w',
    DOWNLOAD_SECRET: 'd',
    REDIS_URL: 'redis://root',
  };
  const none = { REDIS_URL: undefined };
  const others = { auth: none, account: none, billing: none, jobs: none, splitter: none, webhooks: none };
  const engineLogins = { ...others, gateway: { REDIS_URL: 'redis://gateway' } };
  const planned = planProcesses({ ...plan, env, engineLogins }).flat();
  const holders = (name: string) =>
    planned.filter((spec) => spec.env[name] !== undefined).map((spec) => spec.name);
  assert.deepEqual(holders('AUTH_SECRET'), ['auth']);
  assert.deepEqual(holders('WEBHOOKS_SECRET'), ['webhooks']);
  for (const name of ['DOWNLOAD_SECRET', 'REDIS_URL'])
    assert.deepEqual(holders(name), ['gateway-0', 'gateway-1']);
  assert.ok(planned.every((spec) => spec.env.REDIS_URL !== 'redis://root'));
});

test('a successor has its own port and folder', () => {
  const spareOf = (name: string) => specs.find((spec) => spec.name === name)?.spare?.env;
  assert.deepEqual(spareOf('jobs'), { RPC_PORT: '1105' });
  assert.equal(spareOf('gateway-0')?.PORT, '2101');
  assert.deepEqual(spareOf('splitter-1'), { RPC_PORT: '3102', SCRATCH_DIR: '/scratch/1-spare' });
  assert.equal(spareOf('splitter-2'), undefined);
  assert.equal(spareOf('balancer'), undefined);
});

test('every process and successor has its own metrics port, counted from METRICS_PORT', () => {
  const measured = planProcesses({ ...plan, env: { ...plan.env, METRICS_PORT: '9464' } }).flat();
  const metricsPorts = measured
    .filter(({ name }) => name !== 'balancer')
    .flatMap(({ env, spare }) => (spare === undefined ? [env] : [env, spare.env]))
    .map(({ METRICS_PORT }) => METRICS_PORT);
  assert.deepEqual(
    metricsPorts.map(Number).sort((a, b) => a - b),
    Array.from(metricsPorts, (_, n) => 9464 + n),
  );
  assert.deepEqual([envOf('jobs').METRICS_PORT, envOf('jobs').METRICS_HOST], [undefined, '127.0.0.1']);
});

test('no process is killed before its drain time is over', () => {
  const of = (name: string) => specs.find((spec) => spec.name === name)?.stopTimeoutMs;
  assert.deepEqual([of('jobs'), of('gateway-0'), of('splitter-0')], [30_000, 35_000, 34_000]);
});

test('the programs of the plan exist', () => {
  for (const { name, args } of specs.filter((spec) => spec.name !== 'balancer')) {
    assert.ok(existsSync(args.at(-1) ?? ''), name);
  }
});

test('a process receives only its own private key, read when the process starts', () => {
  let generation = 'first';
  const keyOf = (process: Process) => `${generation} of ${process}`;
  const keys = () => PROCESSES.map((process) => [privateKeyVariable(process), keyOf(process)]);
  const planned = planProcesses({ ...plan, currentEnv: () => Object.fromEntries(keys()) }).flat();
  for (generation of ['first', 'second']) {
    for (const process of PROCESSES.filter((each) => each !== 'operator')) {
      const { env = {} } = planned.find(({ name }) => name.startsWith(process)) ?? {};
      const given = Object.values(env).filter((value) => value?.startsWith(generation));
      assert.deepEqual([given, env.IDENTITY_PRIVATE_KEY], [[keyOf(process)], keyOf(process)]);
    }
  }
});
