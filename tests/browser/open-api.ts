/** For suites that play a part behind the page themselves: that of the splitter, or of what has failed. */
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';
import type { ScriptedInstallation, ScriptedOptions } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { openBrowser } from './chromium.ts';
import { signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

type ApiOptions = Pick<ScriptedOptions, 'clock' | 'env' | 'stripe'>;

/** The gateway before all services, on a Postgres of its own. All of it ends with the stack. */
export async function openApi(
  stack: AsyncDisposableStack,
  options: ApiOptions = {},
): Promise<ScriptedInstallation> {
  const postgres = stack.use(await startOwnPostgres({ durable: false }));
  process.env.TEST_DATABASE_URL = postgres.url;
  return stack.use(await startInstallation({ kind: 'scripted', pages: 'built', ...options }));
}

/** The same in a browser, in which somebody has just signed up. */
export async function openAccountPage(stack: AsyncDisposableStack, email: string, options: ApiOptions = {}) {
  const api = await openApi(stack, options);
  const browser = await openBrowser(stack);
  const visitor = stack.use(await openVisitor(browser, api.url));
  await signUp(visitor.page, email);
  return { api, browser, visitor, page: visitor.page };
}

export type HeldLease = Awaited<ReturnType<typeof holdLease>>;

const RENEW_EVERY_MS = 2_000;

/** What a splitter that works on a job does for its lease, until the stack ends. */
export async function holdLease(
  stack: AsyncDisposableStack,
  { leases }: Pick<ScriptedInstallation, 'leases'>,
  jobId: string,
  workerId: string,
) {
  const { fence } = await leases.claimJob({ jobId, workerId });
  await leases.reserveMinutes({ jobId, fence, neededMs: 60_000n });
  let progress: { progressPercent: number; fetching?: object } = { progressPercent: 0 };
  const renew = async () => void (await leases.renewLease({ jobId, fence, ...progress }));
  const timer = setInterval(() => renew().catch(() => undefined), RENEW_EVERY_MS);
  stack.defer(() => clearInterval(timer));
  return {
    jobId,
    fence,
    report(progressPercent: number) {
      progress = { progressPercent };
      return renew();
    },
    /** Of the source. */
    reportFetched(fetchedBytes: bigint, totalBytes?: bigint) {
      const fetching = totalBytes === undefined ? { fetchedBytes } : { fetchedBytes, totalBytes };
      progress = { ...progress, fetching };
      return renew();
    },
  };
}
