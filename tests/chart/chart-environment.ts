/**
 * Checks each process's environment in the chart against the code that reads it: the process starts with the
 * values, reads every variable, and has the URLs of exactly the services that it calls. No environment
 * contains a secret, and a process has only its own private key. Each schema is migrated once: by a Job,
 * whose containers migrate and exit, or by its service at its start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccountConfig } from '@audiosplit/account/config';
import { readAuthConfig } from '@audiosplit/auth/config';
import { readBillingConfig } from '@audiosplit/billing/config';
import { messageOf } from '@audiosplit/chassis/errors';
import { parseStorageUrl } from '@audiosplit/chassis/object-store/storage-url';
import { type Env, withoutCredentials } from '@audiosplit/chassis/process/env';
import { readDatabaseConfig, readProcessConfig } from '@audiosplit/chassis/process/process-config';
import { testIdentityEnv } from '@audiosplit/chassis/testing/identities';
import { readGatewayProcessConfig } from '@audiosplit/gateway/config';
import { readOperatorsProcessConfig } from '@audiosplit/gateway/operators/config';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { readSplitterConfig } from '@audiosplit/splitter/config';
import { readWebhooksConfig } from '@audiosplit/webhooks/config';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { settingsOf } from '../harness/settings.ts';
import { type Manifest, workloadsIn } from './chart-manifests.ts';
import { type Container, faultsOfAuthorities, faultsOfSecrets, type Variable } from './pod-spec.ts';

type Read = (env: Env) => unknown;

const ofService =
  (process: Process, keepsData: boolean, read: Read): Read =>
  (env) => [readProcessConfig(env, process, keepsData), read(env)];

const READERS: Readonly<Record<string, Read>> = {
  auth: ofService('auth', true, readAuthConfig),
  account: ofService('account', true, readAccountConfig),
  billing: ofService('billing', true, readBillingConfig),
  jobs: ofService('jobs', true, readJobsConfig),
  webhooks: ofService('webhooks', true, readWebhooksConfig),
  gateway: readGatewayProcessConfig,
  splitter: ofService('splitter', false, readSplitterConfig),
  operators: readOperatorsProcessConfig,
};
const WITH_SCHEMA = ['auth', 'account', 'billing', 'jobs', 'webhooks'];
/** A component that an installation may lack. */
const OPTIONAL = 'operators';

const ANY_SECRET = 'x'.repeat(48);
/** Values of Secrets that must have a certain form. */
const SECRETS: Env = {
  DATABASE_URL: 'postgresql://user:password@postgresql:5432/audiosplit',
  REDIS_URL: 'rediss://:password@redis:6379',
  SMTP_URL: 'smtp://user:password@mail:587',
  STRIPE_SECRET_KEY: 'sk_test_key',
  STRIPE_WEBHOOK_SECRET: 'whsec_secret',
  OPERATORS_CREDENTIALS: `name:${ANY_SECRET}`,
};

/** One line per fault. */
export function checkEnvironments(manifests: readonly Manifest[]): readonly string[] {
  const containers = containersOf(manifests, 'Deployment');
  const migrating = containersOf(manifests, 'Job').filter(({ name }) => WITH_SCHEMA.includes(name));
  const missing = Object.keys(READERS).filter(
    (name) => name !== OPTIONAL && !containers.some((one) => one.name === name),
  );
  return [
    ...missing.map((name) => `there is no Deployment of ${name}`),
    ...containers.flatMap((container) =>
      checkContainer(container).map((fault) => `${container.name}: ${fault}`),
    ),
    ...migrating.flatMap((container) =>
      checkMigration(container).map((fault) => `migrations of ${container.name}: ${fault}`),
    ),
    ...checkWhoMigrates(containers, migrating),
    ...workloadsIn(manifests).flatMap(({ kind, name, pod }) =>
      faultsOfSecrets(pod).map((fault) => `${kind} ${name}: ${fault}`),
    ),
  ];
}

function containersOf(manifests: readonly Manifest[], wanted: string): readonly Container[] {
  return workloadsIn(manifests).flatMap(({ kind, pod }) => (kind === wanted ? (pod.containers ?? []) : []));
}

/** A process that only migrates reads the variables of all processes, and calls no service. */
function checkMigration(container: Container): readonly string[] {
  const faults = checkVariables(container, (env) => readDatabaseConfig(env, true));
  if (migrateOf(container) !== 'only')
    faults.push(`MIGRATE is ${migrateOf(container)}: it would stay and serve`);
  return faults;
}

function checkWhoMigrates(
  containers: readonly Container[],
  migrating: readonly Container[],
): readonly string[] {
  return WITH_SCHEMA.flatMap((service) => {
    const own = containers.find(({ name }) => name === service);
    if (own === undefined) return [];
    const inJob = migrating.some(({ name }) => name === service);
    const atStart = migrateOf(own) !== 'false';
    if (inJob !== atStart) return [];
    return [`${service}: its schema is migrated ${inJob ? 'by a Job and by itself' : 'by no process'}`];
  });
}

function migrateOf({ env = [] }: Container): string | undefined {
  return env.find(({ name }) => name === 'MIGRATE')?.value;
}

function secretsOf(container: string): Env {
  const process = PROCESSES.find((each) => each === container) ?? 'operator';
  return { ...SECRETS, ...testIdentityEnv(process) };
}

/**
 * Values that the process rejects, and variables that it does not read, that are set twice, or that reveal a
 * secret.
 */
function checkVariables(container: Container, read: Read): string[] {
  const { name, env = [] } = container;
  const faults: string[] = [];
  const values: Env = Object.fromEntries(
    env.map(({ name: variable, value, secret }) => [
      variable,
      secret === undefined ? value : (secretsOf(name)[variable] ?? ANY_SECRET),
    ]),
  );
  try {
    read(values);
    if (values.STORAGE_URL !== undefined) parseStorageUrl(values.STORAGE_URL);
  } catch (error) {
    faults.push(messageOf(error));
  }
  faults.push(...faultsOfAuthorities(container));
  const variables = env.map(({ name: variable }) => variable);
  const twice = variables.filter((variable, index) => variables.indexOf(variable) !== index);
  faults.push(...twice.map((variable) => `${variable} is set twice`));
  const settings = settingsOf(name);
  const unread = variables.filter((variable) => !(variable in settings) && !/_RPC_URL$/.test(variable));
  const inPlainText = env.filter((one) => settings[one.name]?.isSecret && showsSecret(one));
  return [
    ...faults,
    ...unread.map((variable) => `nothing reads ${variable}`),
    ...inPlainText.map((one) => `${one.name} is in plain text`),
  ];
}

/** A URL without credentials is no secret. */
function showsSecret({ value = '', secret }: Variable): boolean {
  return secret === undefined && (!URL.canParse(value) || withoutCredentials(value) !== value);
}

function checkContainer(container: Container): readonly string[] {
  const { name, env = [] } = container;
  const read = READERS[name];
  if (read === undefined) return ['it is not known what this process reads'];
  const faults = checkVariables(container, read);
  const configured = servicesIn(env.map(({ name: variable }) => variable)).join(', ');
  const called = callsOf(name).join(', ');
  if (configured !== called)
    faults.push(`it has the URLs of these: ${configured}; and calls these: ${called}`);
  const privateKey = env.find(({ name: variable }) => variable === 'IDENTITY_PRIVATE_KEY')?.secret?.key;
  const own = `${name === 'operators' ? 'operator' : name}-private-key`;
  if (privateKey !== undefined && privateKey !== own) faults.push(`it signs with ${privateKey}`);
  return faults;
}

function callsOf(name: string): readonly string[] {
  if (name === 'gateway') return servicesIn(Object.keys(settingsOf(name)));
  const folder = name === 'operators' ? 'gateway/src/operators' : `services/${name}/src`;
  const source = readFileSync(join(repositoryRoot, folder, 'service.ts'), 'utf8');
  const called = source.matchAll(/addressOf\('(\w+)'\)/g).map(([, service = '']) => service);
  return [...new Set(called)].sort();
}

/** The services whose URLs these variables hold, sorted by name. */
function servicesIn(variables: readonly string[]): readonly string[] {
  const named = variables.flatMap((variable) => /^(\w+)_RPC_URL$/.exec(variable)?.[1]?.toLowerCase() ?? []);
  return named.sort();
}
