/** The whole product in a process of its own, for pipeline-system.ts. */
import { createLogger } from '@audiosplit/chassis/process/log';
import { UNLIMITED } from '../../../tests/harness/accounts/limits.ts';
import { startInstallation } from '../../../tests/harness/installation/start-installation.ts';
import { countRequests, type RequestCounts } from './request-counts.ts';

export interface Started {
  readonly kind: 'started';
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly apiKey: string;
}

export interface Usage {
  readonly kind: 'usage';
  /** User and system, since the start. */
  readonly cpuMs: number;
  readonly counts: RequestCounts;
}

export type FromChild = Started | Usage;
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
    send({ kind: 'usage', cpuMs: (user + system) / 1000, counts: readCounts() });
    return;
  }
  await installation[Symbol.asyncDispose]();
  process.disconnect?.();
});
send({ kind: 'started', baseUrl: installation.baseUrl, databaseUrl: installation.databaseUrl, apiKey });

function send(message: FromChild): void {
  process.send?.(message);
}
