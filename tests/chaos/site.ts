/**
 * The product as `npm run up` runs it, with what is needed to break it put in between: proxies before PostgreSQL, Kafka and
 * S3, and a small disk, a memory limit and a clock of their own for some processes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import type { EngineName } from '../../deploy/engines/engine.ts';
import { readState } from '../../deploy/engines/engines-state.ts';
import {
  enginesFolder,
  type Installation,
  type Interposed,
  startInstallation,
} from '../../deploy/processes/installation.ts';
import { readInstallationConfig } from '../../deploy/processes/installation-config.ts';
import type { ManagedProcess, ProcessSpec } from '../../deploy/processes/process/managed-process.ts';
import { DATA_SERVICES } from '../../deploy/processes/process-plan.ts';
import { describeChange } from '../../deploy/processes/status/terminal-status.ts';
import { freePort } from '../../deploy/provision/free-port.ts';
import { type Report, reportedTask } from '../../deploy/provision/progress.ts';
import { createFakeClock, ensureFaketime, type FakeClock } from '../harness/faults/limits/fake-clock.ts';
import { createMemoryGroup, type MemoryGroup } from '../harness/faults/limits/memory-group.ts';
import { mountScratchDisk, type ScratchDisk } from '../harness/faults/limits/scratch-disk.ts';
import { type Proxies, startProxies } from '../harness/faults/proxies/proxies.ts';
import { ensureToxiproxy, startToxiproxy, type Toxiproxy } from '../harness/faults/proxies/toxiproxy.ts';
import { type JobsDatabase, openJobsDatabase } from '../harness/jobs-database.ts';
import { type Receiver, startReceiver } from '../harness/servers/receiver.ts';
import { LIMITED, type SiteShape } from './site-shape.ts';

export interface Site extends AsyncDisposable {
  readonly shape: SiteShape;
  readonly baseUrl: string;
  readonly logsFolder: string;
  readonly jobs: JobsDatabase;
  readonly proxies: Proxies;
  readonly toxiproxy: Toxiproxy;
  readonly receiver: Receiver;
  /** By the process that has one; empty where the run does without the fault. */
  readonly disks: ReadonlyMap<string, ScratchDisk>;
  readonly memoryGroups: ReadonlyMap<string, MemoryGroup>;
  readonly clocks: ReadonlyMap<string, FakeClock>;
  /** Throws for a name that there is not. */
  process(name: string): ManagedProcess;
  /** Undefined while it is dead. */
  enginePid(name: EngineName): number | undefined;
  redisPort(): number;
}

export interface SiteOptions {
  readonly dataDir: string;
  readonly gateways: number;
  readonly splitters: number;
  readonly leaseSeconds: number;
  /** Which of the things that need special rights are put in. */
  readonly limits: ReadonlySet<LimitKind>;
  readonly signal: AbortSignal;
  readonly report: Report;
}

export type LimitKind = 'disk' | 'memory' | 'clock';

/** Its toxics are named after it. */
export const KAFKA_PROXY = 'kafka';
const JOBS_PER_SPLITTER = 4;
/** A run with shorter leases looks for expired ones more often, too. */
const PRODUCTION_LEASE_SECONDS = 30;

export async function startSite(options: SiteOptions): Promise<Site> {
  const { dataDir, signal, report } = options;
  await using starting = new AsyncDisposableStack();
  mkdirSync(dataDir, { recursive: true });
  const names = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const shape: SiteShape = {
    gateways: names('gateway', options.gateways),
    splitters: names('splitter', options.splitters),
    services: DATA_SERVICES,
    leaseMs: options.leaseSeconds * 1_000,
  };
  const task = reportedTask('chaos', report, signal);
  const toxiproxy = starting.use(
    await startToxiproxy(await ensureToxiproxy(task), join(dataDir, 'toxiproxy.log')),
  );
  const kafka = { port: await freePort(), advertisedPort: await freePort() };
  await toxiproxy.addProxy(KAFKA_PROXY, kafka.advertisedPort, kafka.port);
  const receiver = starting.use(await startReceiver());

  const { disks, memoryGroups, clocks, launch } = await limitProcesses(shape, options, starting, task);
  let proxies: Proxies | undefined;
  const interposed: Interposed = {
    proxied: { kafka },
    launch,
    async environment(ofEngines) {
      const databaseUrl = new URL(ofEngines.DATABASE_URL);
      const storageUrl = new URL(ofEngines.STORAGE_URL ?? '');
      const endpoint = storageUrl.searchParams.get('endpoint') ?? '';
      proxies = starting.use(
        await startProxies({
          database: { host: databaseUrl.hostname, port: Number(databaseUrl.port) },
          storeUrl: endpoint,
        }),
      );
      databaseUrl.port = String(proxies.databasePort);
      storageUrl.searchParams.set('endpoint', proxies.storeUrl);
      return {
        ...ofEngines,
        DATABASE_URL: databaseUrl.href,
        STORAGE_URL: storageUrl.href,
        KAFKA_BROKERS: `127.0.0.1:${kafka.advertisedPort}`,
      };
    },
  };
  const env = siteEnvironment(options);
  const installation: Installation = starting.use(
    await startInstallation({
      config: readInstallationConfig(env, process.cwd()),
      env,
      gateways: options.gateways,
      splitters: options.splitters,
      restart: true,
      keepEngines: false,
      signal,
      report,
      onChange: (each) => report(each.name, describeChange(each)),
      interposed,
    }),
  );
  if (proxies === undefined) throw new Error('an installation asks for its environment');
  const engines = enginesFolder(dataDir);
  const adminUrl = () => readState(engines).postgres?.endpoints.databaseUrl ?? '';
  const jobs = starting.use(openJobsDatabase(adminUrl));
  const running = starting.move();
  return {
    shape,
    baseUrl: installation.baseUrl,
    logsFolder: installation.logsFolder,
    jobs,
    proxies,
    toxiproxy,
    receiver,
    disks,
    memoryGroups,
    clocks,
    process(name) {
      const found = installation.processes.find((each) => each.name === name);
      if (found === undefined) throw new Error(`there is no process ${name}`);
      return found;
    },
    enginePid: (name) => installation.engines().find((each) => each.name === name)?.pid,
    redisPort: () => readState(engines).redis?.port ?? 0,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function siteEnvironment({ dataDir, leaseSeconds }: SiteOptions): Env {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATA_DIR: dataDir,
    PORT: '0',
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    JOB_LEASE_SECONDS: String(leaseSeconds),
    ...(leaseSeconds < PRODUCTION_LEASE_SECONDS ? { JOB_REAP_EVERY_SECONDS: '1' } : {}),
    SPLITTER_PARTS: 'true',
    SPLITTER_CONCURRENCY: String(JOBS_PER_SPLITTER),
  };
}

async function limitProcesses(
  shape: SiteShape,
  { dataDir, limits }: SiteOptions,
  starting: AsyncDisposableStack,
  task: ReturnType<typeof reportedTask>,
) {
  const disks = new Map<string, ScratchDisk>();
  const memoryGroups = new Map<string, MemoryGroup>();
  const clocks = new Map<string, FakeClock>();
  if (limits.has('disk')) {
    const disk = mountScratchDisk(join(dataDir, 'scratch-disk'));
    starting.defer(async () => disk[Symbol.dispose]());
    for (const name of LIMITED.disk(shape)) disks.set(name, disk);
  }
  if (limits.has('memory')) {
    const name = `audiosplit-chaos-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}-${process.pid}`;
    const group = createMemoryGroup(name);
    starting.defer(async () => group[Symbol.dispose]());
    for (const name of LIMITED.memory(shape)) memoryGroups.set(name, group);
  }
  if (limits.has('clock')) {
    const library = await ensureFaketime(task);
    for (const name of LIMITED.clock(shape))
      clocks.set(name, createFakeClock(library, join(dataDir, `${name}.clock`)));
  }
  const launch = (spec: ProcessSpec): ProcessSpec => {
    const { name } = spec;
    const disk = disks.get(name);
    const env: Env = {
      ...spec.env,
      ...clocks.get(name)?.environment,
      ...(disk === undefined ? {} : { SCRATCH_DIR: disk.scratchDir }),
    };
    const group = memoryGroups.get(name);
    if (group === undefined) return { ...spec, env };
    const join_ = 'echo $$ > "$0" && exec "$@"';
    return {
      ...spec,
      env,
      command: '/bin/sh',
      args: ['-c', join_, group.membersFile, spec.command, ...spec.args],
    };
  };
  return { disks, memoryGroups, clocks, launch };
}
