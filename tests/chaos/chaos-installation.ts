/**
 * The installation of a run, with everything that its faults need: proxies, limits, a receiver of webhooks, a
 * bucket.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reportedTask } from '../../deploy/provision/progress.ts';
import type { Run } from '../harness/command/run.ts';
import { type LimitKind, limitProcesses } from '../harness/faults/limits/process-limits.ts';
import { startEngineProxies } from '../harness/faults/proxies/engine-proxies.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { openJobsDatabase } from '../harness/jobs-database.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { openCallersBucket } from './callers-bucket.ts';
import { LIMITED, namesOf, type RunCounts } from './run-shape.ts';

export type ChaosInstallation = Awaited<ReturnType<typeof startChaosInstallation>>;

const JOBS_PER_SPLITTER = 4;
/** The jobs service looks for expired leases more often if leases are shorter. */
const PRODUCTION_LEASE_SECONDS = 30;

/** Each kind of limit needs rights of its own. */
export async function startChaosInstallation(
  { dataDir, signal, report }: Run,
  counts: RunCounts,
  limitKinds: ReadonlySet<LimitKind>,
) {
  const { gateways, splitters, leaseSeconds } = counts;
  await using starting = new AsyncDisposableStack();
  const shape = namesOf(counts);
  const task = reportedTask('chaos', report, signal);
  const engineProxies = starting.use(await startEngineProxies(join(dataDir, 'logs/toxiproxy.log'), task));
  const receiver = starting.use(await startReceiver());
  // Not inside the data folder: it is removed after the installation, which uses it to its end.
  const limitsDir = `${dataDir}-limits`;
  starting.defer(() => rm(limitsDir, { recursive: true, force: true }));
  const limited = [...limitKinds].map((kind) => [kind, LIMITED[kind](shape)]);
  const limits = starting.use(await limitProcesses(limitsDir, Object.fromEntries(limited), task));
  const installation = starting.use(
    await startInstallation({
      kind: 'processes',
      name: 'chaos',
      dataDir,
      engines: 'own',
      replicas: { gateway: gateways, splitter: splitters },
      balancer: true,
      restarts: 'all',
      settings: 'up',
      env: {
        JOB_LEASE_SECONDS: String(leaseSeconds),
        ...(leaseSeconds < PRODUCTION_LEASE_SECONDS ? { JOB_REAP_EVERY_SECONDS: '1' } : {}),
        SPLITTER_PARTS: 'true',
        SPLITTER_CONCURRENCY: String(JOBS_PER_SPLITTER),
      },
      hooks: { ...engineProxies.hooks, launch: limits.launch },
      signal,
      report,
    }),
  );
  const jobs = starting.use(openJobsDatabase(() => installation.endpoints.databaseUrl));
  const bucket = starting.use(await openCallersBucket(installation.endpoints));
  const running = starting.move();
  return {
    shape,
    installation,
    jobs,
    engineProxies,
    receiver,
    bucket,
    limits,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
