/** For suites that play a part behind the page themselves: that of the splitter, or of what has failed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConsolePages } from '@audiosplit/gateway/console/pages';
import { startEmbeddedPostgres } from '../../deploy/embedded/postgres/embedded-postgres.ts';
import type { ScriptedInstallation } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

/** The gateway before all services, on a Postgres of its own. All of it ends with the stack. */
export async function openApi(stack: AsyncDisposableStack): Promise<ScriptedInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-browser-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = stack.use(
    await startEmbeddedPostgres({ directory: join(folder, 'postgres'), durable: false, maxConnections: 100 }),
  );
  process.env.TEST_DATABASE_URL = postgres.url;
  return stack.use(await startInstallation({ kind: 'scripted', pages: await readConsolePages() }));
}

/** What a splitter that works on a job does for its lease, until the stack ends. */
export interface HeldLease {
  readonly jobId: string;
  readonly fence: bigint;
  /** Per cent. */
  report(progressPercent: number): Promise<void>;
  /** Bytes of the source, of how many where it tells. */
  reportFetched(fetchedBytes: bigint, totalBytes?: bigint): Promise<void>;
}

const RENEW_EVERY_MS = 2_000;

export async function holdLease(
  stack: AsyncDisposableStack,
  { leases }: Pick<ScriptedInstallation, 'leases'>,
  jobId: string,
  workerId: string,
): Promise<HeldLease> {
  const { fence } = await leases.claimJob({ jobId, workerId });
  let progressPercent = 0;
  let fetching: { fetchedBytes: bigint; totalBytes?: bigint } | undefined;
  const renew = async () =>
    void (await leases.renewLease({
      jobId,
      fence,
      progressPercent,
      ...(fetching === undefined ? {} : { fetching }),
    }));
  const timer = setInterval(() => renew().catch(() => undefined), RENEW_EVERY_MS);
  stack.defer(() => clearInterval(timer));
  return {
    jobId,
    fence,
    report(reached) {
      progressPercent = reached;
      fetching = undefined;
      return renew();
    },
    reportFetched(fetchedBytes, totalBytes) {
      fetching = totalBytes === undefined ? { fetchedBytes } : { fetchedBytes, totalBytes };
      return renew();
    },
  };
}
