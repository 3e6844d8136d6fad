/** Runs the whole product in a separate process, for pipeline-system.ts. */
import { createLogger } from '@audiosplit/chassis/process/log';
import { UNLIMITED } from '../../../tests/harness/accounts/limits.ts';
import { startInstallation } from '../../../tests/harness/installation/start-installation.ts';
import { countRequests, type RequestCounts } from './request-counts.ts';

/** The first message; each response to `usage` is a Usage. */
export interface Started {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly apiKey: string;
}

export interface Usage {
  /** User and system time, since the start. */
  readonly cpuMs: number;
  readonly counts: RequestCounts;
  /** Calls between services, without searches for first offers. In this process they use no socket. */
  readonly rpcs: number;
  /** Deliveries of bus messages to handlers. */
  readonly deliveries: number;
}

export type ToChild = 'usage' | 'stop';

const CONCURRENT_JOBS = 16;
const CALLS = 'audiosplit_rpc_client_duration_seconds_count';

const { KAFKA_BROKERS } = process.env;
const readCounts = await countRequests(KAFKA_BROKERS?.split(',') ?? []);
const installation = await startInstallation({
  kind: 'embedded',
  postgres: 'own',
  log: createLogger('local', 'error'),
  env: KAFKA_BROKERS === undefined ? {} : { KAFKA_BROKERS },
});
const { apiKey } = await installation.openAccount({
  limits: { ...UNLIMITED, concurrentJobs: CONCURRENT_JOBS },
});
process.on('message', async (message: ToChild) => {
  if (message === 'usage') return send(await readUsage());
  await installation[Symbol.asyncDispose]();
  process.disconnect?.();
});
send({ baseUrl: installation.baseUrl, databaseUrl: installation.databaseUrl, apiKey });

async function readUsage(): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const counts = readCounts();
  const metrics = await installation.scrape();
  // A slow machine makes more of these; each is one round trip.
  const searches = sumOf(metrics, CALLS, 'method="FindFirstOffers"');
  return {
    cpuMs: (user + system) / 1000,
    counts: { ...counts, roundTrips: counts.roundTrips - searches },
    rpcs: sumOf(metrics, CALLS) - searches,
    deliveries: sumOf(metrics, 'audiosplit_event_bus_handler_duration_seconds_count'),
  };
}

function sumOf(metrics: string, name: string, label = ''): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function send(message: Started | Usage): void {
  process.send?.(message);
}
