/**
 * A request through gateway, auth, the jobs service and Postgres, in our system and in one of stock parts. Both work on
 * the same jobs in the same server.
 */
import { median } from '@audiosplit/chassis/testing/latency';
import { newApiKeySecret, sha256Hex } from '../src/testing/credentials.ts';
import { type ChildServer, startChildServer } from './child-server.ts';
import { createJobsDatabase, type JobsDatabase } from './jobs-database.ts';
import { load, type RequestShape } from './load.ts';
import type { Bench, Row } from './report.ts';
import { accountIdOf } from './servers.ts';

const GOAL = 3;
/** Limit of an account's queue. Each caller of each run creates for another account. */
const MAX_CREATED = 1_000;
const WARM_UPS = 5;
const A_JOB = `job_${'1'.padStart(20, '0')}`;

interface System {
  readonly gateway: ChildServer;
  readonly services: readonly ChildServer[];
}

/** Milliseconds of CPU time per request. */
interface Cost {
  readonly gateway: number;
  readonly services: number;
  readonly postgres: number;
}

export async function measureSystem({
  requests,
  rounds,
  redisUrl,
  progress,
}: Bench): Promise<readonly Row[]> {
  if (process.env.TEST_DATABASE_URL === undefined) return [];
  const busyKey = newApiKeySecret();
  await using running = new AsyncDisposableStack();
  progress('the whole system: filling the database');
  const database = running.use(await createJobsDatabase(accountIdOf(sha256Hex(busyKey))));
  const databaseUrl = database.url;
  const start = async (...args: Parameters<typeof startChildServer>) =>
    running.use(await startChildServer(...args));

  const auth = await start('services', 'measured');
  const jobs = await start('jobs', 'measured', { databaseUrl });
  const gateway = await start('gateway', 'measured', {
    servicesUrl: auth.url,
    jobsUrl: jobs.url,
    redisUrl,
  });
  const stockAuth = await start('stock services', 'measured');
  const stockJobs = await start('stock jobs', 'measured', { databaseUrl });
  const stockGateway = await start('stock gateway', 'measured', {
    servicesUrl: stockAuth.url,
    jobsUrl: stockJobs.url,
    redisUrl,
  });
  const ours: System = { gateway, services: [auth, jobs] };
  const stock: System = { gateway: stockGateway, services: [stockAuth, stockJobs] };

  const calls = Math.min(requests, MAX_CREATED);
  const kinds = ['create', 'read', 'list'] as const;
  const measure = (system: System, kind: (typeof kinds)[number]) =>
    costOf(system, database, () => shapeOf(kind, kind === 'create' ? newApiKeySecret() : busyKey), calls);
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) {
    for (const kind of kinds) for (const system of [ours, stock]) await measure(system, kind);
  }

  const pairs = new Map<string, { readonly ours: Cost; readonly stock: Cost }[]>();
  for (let round = 1; round <= rounds; round++) {
    progress(`the whole system, round ${round} of ${rounds}`);
    for (const kind of kinds) {
      const pair = { ours: await measure(ours, kind), stock: await measure(stock, kind) };
      pairs.set(kind, [...(pairs.get(kind) ?? []), pair]);
    }
  }
  return Array.from(pairs, ([kind, measured]) => {
    const factor = median(measured.map((pair) => totalMs(pair.stock) / totalMs(pair.ours)));
    const [own, stock] = [measured.map((pair) => pair.ours), measured.map((pair) => pair.stock)];
    return {
      measure: `whole system: ${kind}`,
      figure: `${formatCosts(own)}; of stock pieces ${formatCosts(stock)}`,
      ratio: `${factor.toFixed(1)}x`,
      goal: `≥ ${GOAL}x`,
      isMet: factor >= GOAL,
    };
  });
}

/** In microseconds: gateway + services + Postgres. */
function formatCosts(costs: readonly Cost[]): string {
  const parts = (['gateway', 'services', 'postgres'] as const).map((part) =>
    Math.round(1_000 * median(costs.map((cost) => cost[part]))),
  );
  return `${parts.join(' + ')} µs`;
}

function totalMs({ gateway, services, postgres }: Cost): number {
  return gateway + services + postgres;
}

async function costOf(
  { gateway, services }: System,
  database: JobsDatabase,
  shapeOfCaller: () => RequestShape,
  calls: number,
): Promise<Cost> {
  const now = async (): Promise<Cost> => {
    const ofServices = await Promise.all(services.map((service) => service.cpuMs()));
    return {
      gateway: await gateway.cpuMs(),
      services: ofServices.reduce((sum, time) => sum + time, 0),
      postgres: await database.cpuMs(),
    };
  };
  const before = await now();
  await load(gateway.url, shapeOfCaller, calls);
  const after = await now();
  return {
    gateway: (after.gateway - before.gateway) / calls,
    services: (after.services - before.services) / calls,
    postgres: (after.postgres - before.postgres) / calls,
  };
}

function shapeOf(kind: 'create' | 'read' | 'list', apiKey: string): RequestShape {
  const headers = { 'x-api-key': apiKey };
  const path = '/api/v1/splits';
  switch (kind) {
    case 'create':
      return {
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          sourceUrl: 'https://example.com/recordings/2027/episode-0012.mp3',
          splitMode: 'duration',
          segmentDuration: 300,
          outputFormat: 'mp3',
          metadata: { title: 'An episode', number: 12 },
        }),
        expectedStatus: 201,
      };
    case 'read':
      return { method: 'GET', path: `${path}/${A_JOB}`, headers, expectedStatus: 200 };
    case 'list':
      return { method: 'GET', path, headers, expectedStatus: 200 };
    default:
      return kind satisfies never;
  }
}
