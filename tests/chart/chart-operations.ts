/**
 * Checks the pods of operators' commands (the chart's CronJobs, docs/examples/tools-pod.yaml) against the
 * code that they run and against the services: the program accepts the command, some command reads each
 * variable, and bus, bucket and billing are the services'. A backup that assumes the bus is on PostgreSQL
 * although it is on Kafka would leave out the events in flight.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import { parseOperationsCommand } from '../../deploy/operations/command-line.ts';
import { SETTINGS } from '../../deploy/operations/settings.ts';
import { type Manifest, type Workload, workloadsIn } from './chart-manifests.ts';
import { type Container, faultsOfAuthorities } from './pod-spec.ts';

const COMPONENT = 'app.kubernetes.io/component';
/** Variables that must be the same for tools and services; jobs always has them. */
const SHARED = [
  ...['KAFKA_BROKERS', 'KAFKA_TLS', 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_WITHOUT_TLS'],
  ...['NODE_EXTRA_CA_CERTS', 'STORAGE_URL'],
];

/** One line per fault. */
export function checkTools(manifests: readonly Manifest[]): readonly string[] {
  const workloads = workloadsIn(manifests);
  return workloads
    .filter(({ labels }) => labels[COMPONENT] === 'tools')
    .flatMap(({ kind, name, pod }) =>
      (pod.containers ?? []).flatMap((container) =>
        [
          ...faultsOfCommand(container),
          ...faultsOfVariables(container, workloads),
          ...faultsOfBilling(container, manifests),
          ...faultsOfAuthorities(container),
        ].map((fault) => `${kind} ${name}: ${fault}`),
      ),
    );
}

/** A pod without arguments idles: operators run commands in it. */
function faultsOfCommand({ args = [] }: Container): readonly string[] {
  if (args.length === 0 || args.join() === 'grant-access') return [];
  try {
    parseOperationsCommand(args, '/', new Date());
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function faultsOfVariables(
  { args = [], env = [] }: Container,
  workloads: readonly Workload[],
): readonly string[] {
  const names = env.map(({ name }) => name);
  const unread = names.filter((name) => !(name in SETTINGS));
  const faults = unread.map((name) => `nothing reads ${name}`);
  if (!names.includes('DATABASE_URL')) faults.push('it has no DATABASE_URL');
  for (const variable of SHARED) {
    // A pod for a single command may lack variables that the command does not read.
    if (args.length > 0 && !names.includes(variable) && variable === 'STORAGE_URL') continue;
    const [own, theirs] = [textOf(env, variable), textOf(environmentOfJobs(workloads), variable)];
    if (own !== theirs) faults.push(`${variable} is ${own}, and jobs has ${theirs}`);
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

function environmentOfJobs(workloads: readonly Workload[]): NonNullable<Container['env']> {
  const deployments = workloads.filter(({ kind }) => kind === 'Deployment');
  const containers = deployments.flatMap(({ pod }) => pod.containers ?? []);
  return containers.find(({ name }) => name === 'jobs')?.env ?? [];
}

function textOf(env: NonNullable<Container['env']>, variable: string): string | undefined {
  return env.find(({ name }) => name === variable)?.value;
}
