/**
 * Compares the pods of operators' commands (of the chart's schedule and of docs/examples/tools-pod.yaml) with the commands and the
 * services: its program understands the command, some command reads each variable, and bus, bucket and billing are those of the
 * services. A backup that takes the bus for PostgreSQL where it is Kafka would leave out events in flight.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import { parseOperationsCommand } from '../../deploy/operations/command-line.ts';
import { SETTINGS } from '../../deploy/operations/settings.ts';
import { faultsOfAuthorities } from './chart-authorities.ts';
import { type Container, type Manifest, type Workload, workloadsIn } from './chart-manifests.ts';

const COMPONENT = 'app.kubernetes.io/component';
/** Variables that tools and services must have alike, by a service that always has them. */
const SHARED: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: 'jobs',
  KAFKA_TLS: 'jobs',
  KAFKA_SASL_MECHANISM: 'jobs',
  NODE_EXTRA_CA_CERTS: 'jobs',
  STORAGE_URL: 'jobs',
};

/** One line per fault; empty where all is well. */
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

/** Without arguments it idles, until an operator runs a command in it. */
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
  workloads: readonly Workload[],
): readonly string[] {
  const names = env.map(({ name }) => name);
  const unread = names.filter((name) => !(name in SETTINGS));
  const faults = unread.map((name) => `nothing reads ${name}`);
  if (!names.includes('DATABASE_URL')) faults.push('it has no DATABASE_URL');
  for (const [variable, service] of Object.entries(SHARED)) {
    // A single command need not have what it does not read.
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
