import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import { isCertificateFault, reasonOf } from '../secrets/certificate-faults.ts';
import { isPostgresAway } from './availability.ts';
import { openConnection } from './single-connection.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const PAUSE_MS = 500;
/** Shorter than the chart's startup probes allow. */
const PATIENCE_MS = 60_000;

export interface WaitOptions {
  readonly url: string;
  readonly log: Logger;
  readonly patienceMs?: number;
}

/**
 * A service and its database often start at the same moment. Resolves once the server accepts a connection.
 * Rejects with StartError if the server is still unavailable after a minute. Rejects at once if waiting
 * cannot help: with the server's error, such as a wrong password, or with a StartError if its certificate is
 * rejected.
 */
export async function waitForPostgres({ url, log, patienceMs = PATIENCE_MS }: WaitOptions): Promise<void> {
  const startedMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      await connectOnce(url, Math.min(CONNECT_TIMEOUT_MS, patienceMs));
      return;
    } catch (error) {
      const isHopeless = isCertificateFault(error);
      if (!isHopeless && !isPostgresAway(error)) throw error;
      const said = reasonOf(error);
      if (isHopeless || performance.now() - startedMs > patienceMs) {
        throw new StartError(`Postgres at ${new URL(url).host} does not answer (${said}); see DATABASE_URL`);
      }
      if (attempt === 1) log.warn({ reason: said }, 'Postgres does not answer yet; waiting');
      await sleep(PAUSE_MS);
    }
  }
}

async function connectOnce(url: string, timeoutMs: number): Promise<void> {
  await using _client = await openConnection({ connectionString: url, connectionTimeoutMillis: timeoutMs });
}
