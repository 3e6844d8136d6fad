/** Connections of Postgres that a rendered chart takes at most, as docs/operations/scaling.md counts them, with the bus on Kafka. */
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
  // In an upgrade old pods drain beside the new ones.
  return 2 * pools.reduce((sum, pool) => sum + pool, 0) + MIGRATIONS + PEOPLE;
}

/** As many as a trial's own server takes; undefined where there is none. */
export function trialConnections(manifests: readonly Manifest[]): number | undefined {
  const containers = workloadsIn(manifests).flatMap(({ pod }) => pod.containers ?? []);
  const args = containers.flatMap((container) => container.args ?? []);
  const [setting] = args.flatMap((arg) => /^max_connections=(\d+)$/.exec(arg)?.[1] ?? []);
  return setting === undefined ? undefined : Number(setting);
}
