/** What the jobs service needs besides its database: every account has the same limits and ample minutes, sources are not inspected. */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { createConnectionBox } from '../src/connections/connection-box.ts';
import { newFenceStep } from '../src/lease/fence-step.ts';
import { createSourceHeaderBox } from '../src/source-headers.ts';
import { createKnownLimits } from '../src/submit/limits.ts';

export const LIMITS = {
  concurrentJobs: 10,
  maxFileSizeBytes: 1e9,
  maxOutputBytes: 1e9,
  overageAllowed: true,
  spendLimitReached: false,
  revision: 1,
};

export function standInsOn(pool: Pool) {
  const log = silentLogger();
  const { privateKey } = testKeysOf('jobs');
  return {
    pool,
    log,
    limits: createKnownLimits({ pool, log, fetchLimits: async () => LIMITS }),
    fetchQuota: async (_accountId: string, jobIds: readonly string[]) => ({
      leftMs: 1e12,
      countedJobIds: jobIds,
    }),
    inspectSource: async () => undefined,
    sourceHeaderBox: createSourceHeaderBox(privateKey),
    connectionBox: createConnectionBox(privateKey),
    wakeRelay: () => undefined,
    newFenceStep,
    leaseMs: 60_000,
    wallClockLimitMs: 3_600_000,
  };
}
