/** The whole product in a process of its own, for pipeline-system.ts. */
import { createLogger } from '@audiosplit/chassis/process/log';
import { UNLIMITED } from '../../../tests/harness/accounts/limits.ts';
import { startInstallation } from '../../../tests/harness/installation/start-installation.ts';
import { countRequests, type RequestCounts } from './request-counts.ts';

/** The first message; each answer to `usage` is a Usage. */
export interface Started {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly apiKey: string;
}

export interface Usage {
  /** User and system, since the start. */
  readonly cpuMs: number;
  readonly counts: RequestCounts;
}

export type ToChild = 'usage' | 'stop';

const CONCURRENT_JOBS = 16;

const { KAFKA_BROKERS } = process.env;
const readCounts = countRequests(KAFKA_BROKERS?.split(',') ?? []);
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
  if (message === 'usage') {
    const { user, system } = process.cpuUsage();
    return send({ cpuMs: (user + system) / 1000, counts: readCounts() });
  }
  await installation[Symbol.asyncDispose]();
  process.disconnect?.();
});
send({ baseUrl: installation.baseUrl, databaseUrl: installation.databaseUrl, apiKey });

function send(message: Started | Usage): void {
  process.send?.(message);
}
