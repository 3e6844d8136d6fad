/**
 * Checks the pods of operators' commands (the chart's CronJobs, docs/examples/tools-pod.yaml) against the code that they run and
 * against the services: the program accepts the command, some command reads each variable, and bus, bucket and billing are
 * those of the services. A backup that takes the bus for PostgreSQL where it is Kafka would leave out the events in flight.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { parseOperationsCommand } from '../../deploy/operations/command-line.ts';
import { RESEALED } from '../../deploy/operations/reseal.ts';
import { faultsOfAuthorities } from './chart-authorities.ts';
import { type Container, type Manifest, type Workload, workloadsIn } from './chart-manifests.ts';

const COMPONENT = 'app.kubernetes.io/component';
/** Sources of the commands. */
const SOURCES = [
  'deploy/operations/**/*.ts',
  'services/chassis/src/event-bus/kafka/connection.ts',
  'services/chassis/src/event-bus/operator/*.ts',
];
const READ_BY_LIBRARIES = /^AWS_|^NODE_EXTRA_CA_CERTS$/;
/** Variables that must be the same in tools and services, each with a service that always has it. */
const SHARED: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: 'jobs',
  KAFKA_TLS: 'jobs',
  KAFKA_SASL_MECHANISM: 'jobs',
  NODE_EXTRA_CA_CERTS: 'jobs',
  STORAGE_URL: 'jobs',
};

/** One line per fault. */
export function checkTools(manifests: readonly Manifest[]): readonly string[] {
  const workloads = workloadsIn(manifests);
  const read = variablesRead();
  return workloads
    .filter(({ labels }) => labels[COMPONENT] === 'tools')
    .flatMap(({ kind, name, pod }) =>
      (pod.containers ?? []).flatMap((container) =>
        [
          ...faultsOfCommand(container),
          ...faultsOfVariables(container, read, workloads),
          ...faultsOfBilling(container, manifests),
          ...faultsOfAuthorities(container),
        ].map((fault) => `${kind} ${name}: ${fault}`),
      ),
    );
}

/** A pod without arguments idles: operators run commands in it. */
function faultsOfCommand({ args = [] }: Container): readonly string[] {
  if (args.length === 0) return [];
  try {
    parseOperationsCommand(args, '/', new Date());
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function faultsOfVariables(
  { args = [], env = [] }: Container,
  read: ReadonlySet<string>,
  workloads: readonly Workload[],
): readonly string[] {
  const names = env.map(({ name }) => name);
  const unread = names.filter((name) => !read.has(name) && !READ_BY_LIBRARIES.test(name));
  const faults = unread.map((name) => `nothing reads ${name}`);
  if (!names.includes('DATABASE_URL')) faults.push('it has no DATABASE_URL');
  for (const [variable, service] of Object.entries(SHARED)) {
    // A pod for a single command may lack what that command does not read.
    if (args.length > 0 && !names.includes(variable) && variable === 'STORAGE_URL') continue;
    const [own, theirs] = [textOf(env, variable), textOf(environmentOf(workloads, service), variable)];
    if (own !== theirs) faults.push(`${variable} is ${own}, and ${service} has ${theirs}`);
  }
  return faults;
}

function faultsOfBilling({ env = [] }: Container, manifests: readonly Manifest[]): readonly string[] {
  const url = textOf(env, 'BILLING_RPC_URL');
  if (url === undefined) return [];
  const host = new URL(url).hostname;
  const isThere = manifests.some(({ kind, metadata }) => kind === 'Service' && metadata?.name === host);
  return isThere ? [] : [`BILLING_RPC_URL leads to ${host}, which is no Service of the release`];
}

function environmentOf(workloads: readonly Workload[], service: string): NonNullable<Container['env']> {
  const containers = workloads.flatMap(({ kind, pod }) =>
    kind === 'Deployment' ? (pod.containers ?? []) : [],
  );
  return containers.find(({ name }) => name === service)?.env ?? [];
}

function textOf(env: NonNullable<Container['env']>, variable: string): string | undefined {
  return env.find(({ name }) => name === variable)?.value;
}

function variablesRead(): ReadonlySet<string> {
  const text = globSync(SOURCES, { cwd: repositoryRoot })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
    .join('\n');
  const literals = [...text.matchAll(/'([A-Z][A-Z0-9_]{2,})'/g)].map(([, variable = '']) => variable);
  return new Set([...literals, ...Object.keys(RESEALED).map((service) => `${service.toUpperCase()}_SECRET`)]);
}
