/** The installation of a run, with everything that its faults need: proxies, limits, a receiver of webhooks. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, reportedTask } from '../../deploy/provision/progress.ts';
import {
  type LimitKind,
  limitProcesses,
  type ProcessLimits,
} from '../harness/faults/limits/process-limits.ts';
import { type EngineProxies, startEngineProxies } from '../harness/faults/proxies/engine-proxies.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { type JobsDatabase, openJobsDatabase } from '../harness/jobs-database.ts';
import { type Receiver, startReceiver } from '../harness/servers/receiver.ts';
import { LIMITED, namesOf, type RunShape } from './run-shape.ts';

export interface ChaosInstallation extends AsyncDisposable {
  readonly shape: RunShape;
  readonly installation: ProcessesInstallation;
  readonly jobs: JobsDatabase;
  readonly engineProxies: EngineProxies;
  readonly receiver: Receiver;
  readonly limits: ProcessLimits;
}

export interface ChaosInstallationOptions {
  readonly dataDir: string;
  readonly gateways: number;
  readonly splitters: number;
  readonly leaseSeconds: number;
  /** Each needs rights of its own. */
  readonly limits: ReadonlySet<LimitKind>;
  readonly signal: AbortSignal;
  readonly report: Report;
}

const JOBS_PER_SPLITTER = 4;
/** With shorter leases, expired ones are looked for more often, too. */
const PRODUCTION_LEASE_SECONDS = 30;

export async function startChaosInstallation(options: ChaosInstallationOptions): Promise<ChaosInstallation> {
  const { dataDir, gateways, splitters, leaseSeconds, signal, report } = options;
  await using starting = new AsyncDisposableStack();
  const shape = namesOf({ gateways, splitters, leaseSeconds });
  const task = reportedTask('chaos', report, signal);
  const engineProxies = starting.use(await startEngineProxies(join(dataDir, 'logs/toxiproxy.log'), task));
  const receiver = starting.use(await startReceiver());
  // Beside the data: it is removed later than the installation, which uses it to its end.
  const limitsDir = `${dataDir}-limits`;
  starting.defer(() => rm(limitsDir, { recursive: true, force: true }));
  const limited = [...options.limits].map((kind) => [kind, LIMITED[kind](shape)]);
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
  const running = starting.move();
  return {
    shape,
    installation,
    jobs,
    engineProxies,
    receiver,
    limits,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
