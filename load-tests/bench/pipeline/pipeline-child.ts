/** The whole product in a process of its own, for pipeline-bench.ts, which tells it when to stop. */

import { systemClock } from '@audiosplit/chassis/clock';
import { createLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { readLocalConfig } from '../../../deploy/embedded/config.ts';
import { startEmbeddedSystem } from '../../../deploy/embedded/embedded-system.ts';
import { readOrMakeSecrets } from '../../../deploy/embedded/installation-secrets.ts';
import { countRequests, type RequestCounts } from './request-counts.ts';

export interface Started {
  readonly kind: 'started';
  readonly baseUrl: string;
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
const REQUESTS_PER_MINUTE = 1_000_000;

const readCounts = countRequests(process.env.KAFKA_BROKERS?.split(',') ?? []);
const config = readLocalConfig(process.env, process.cwd());
const system = await startEmbeddedSystem({
  config,
  log: createLogger('local', config.logLevel),
  env: process.env,
  fatal(error) {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
});
const { internalSecret } = await readOrMakeSecrets(config.dataDir);
const billing = createCaller({ service: 'local', internalSecret, clock: systemClock }).client(
  BillingService,
  system.addressOf('billing'),
);
await billing.setAccountOverrides({
  accountId: system.development.accountId,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  concurrentJobs: CONCURRENT_JOBS,
  maxFileSizeBytes: 2n * 1024n ** 3n,
  monthlyMinutes: 100_000,
});
process.on('message', async (message: ToChild) => {
  if (message === 'usage') {
    const { user, system: inSystem } = process.cpuUsage();
    tell({ kind: 'usage', cpuMs: (user + inSystem) / 1000, counts: readCounts() });
    return;
  }
  await system[Symbol.asyncDispose]();
  process.disconnect?.();
});
tell({ kind: 'started', baseUrl: system.baseUrl, apiKey: system.development.apiKey });

function tell(message: FromChild): void {
  process.send?.(message);
}
