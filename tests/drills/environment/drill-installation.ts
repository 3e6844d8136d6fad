/**
 * The product on real engines, with enough replicas to lose half of them: two gateways, two of each service,
 * two splitters, one address. Dead processes are restarted; engines are not, because a drill stops them.
 */
import type { Run } from '../../harness/command/run.ts';
import type { ProcessesInstallation } from '../../harness/installation/processes.ts';
import { startInstallation } from '../../harness/installation/start-installation.ts';
import type { Zone } from './zone.ts';

export const REPLICAS = 2;
export const LEASE_SECONDS = 30;
const JOBS_PER_SPLITTER = 4;

export function startDrillInstallation(
  { dataDir, signal, report }: Run,
  zone: Zone,
): Promise<ProcessesInstallation> {
  return startInstallation({
    kind: 'processes',
    name: 'drills',
    dataDir,
    engines: 'own',
    replicas: { gateway: REPLICAS, splitter: REPLICAS, service: REPLICAS },
    balancer: true,
    restarts: 'processes',
    settings: 'up',
    env: {
      JOB_LEASE_SECONDS: String(LEASE_SECONDS),
      SPLITTER_CONCURRENCY: String(JOBS_PER_SPLITTER),
      METRICS_PORT: '0',
    },
    hooks: { launch: zone.launch },
    signal,
    report,
  });
}

/** A page of metrics for each process that responds. */
export async function scrapeAll({ processes }: ProcessesInstallation): Promise<readonly string[]> {
  const pages = await Promise.all(processes.names().map((name) => processes.metrics(name)));
  return pages.filter((page) => page !== undefined);
}
