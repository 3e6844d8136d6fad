/**
 * The maximum number of Postgres connections of a rendered chart, as docs/operations/scaling.md counts them,
 * with the bus on Kafka.
 */
import { type Manifest, workloadsIn } from './chart-manifests.ts';

/** Two for each of five services. */
const MIGRATIONS = 10;
/** Operators, backups, superuser_reserved_connections. */
const PEOPLE = 5;

export function postgresConnections(manifests: readonly Manifest[]): number {
  const pools = workloadsIn(manifests).flatMap(({ replicas, pod }) =>
    (pod.containers ?? []).map(({ env = [] }) => {
      const size = env.find(({ name }) => name === 'DATABASE_MAX_CONNECTIONS')?.value ?? 0;
      return replicas * Number(size);
    }),
  );
  // During an upgrade old pods drain while the new ones run.
  return 2 * pools.reduce((sum, pool) => sum + pool, 0) + MIGRATIONS + PEOPLE;
}

/** The maximum of a trial's own server; undefined if there is no such server. */
export function trialConnections(manifests: readonly Manifest[]): number | undefined {
  const containers = workloadsIn(manifests).flatMap(({ pod }) => pod.containers ?? []);
  const args = containers.flatMap((container) => container.args ?? []);
  const [setting] = args.flatMap((arg) => /^max_connections=(\d+)$/.exec(arg)?.[1] ?? []);
  return setting === undefined ? undefined : Number(setting);
}
