/** For suites that themselves simulate a component behind the page: the splitter, or one that has failed. */
import type { ScriptedInstallation, ScriptedOptions } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { openBrowser } from './chromium.ts';
import { signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

type ApiOptions = Pick<ScriptedOptions, 'clock' | 'env' | 'stripe'>;

/** The gateway in front of all services, with its own database. Everything ends with the stack. */
export async function openApi(
  stack: AsyncDisposableStack,
  options: ApiOptions = {},
): Promise<ScriptedInstallation> {
  return stack.use(await startInstallation({ kind: 'scripted', pages: 'built', ...options }));
}

/** The same in a browser in which a user has just signed up. */
export async function openAccountPage(stack: AsyncDisposableStack, email: string, options: ApiOptions = {}) {
  const api = await openApi(stack, options);
  const browser = await openBrowser(stack);
  const visitor = stack.use(await openVisitor(browser, api.url));
  await signUp(visitor.page, email);
  return { api, browser, visitor, page: visitor.page };
}

export type HeldLease = Awaited<ReturnType<typeof holdLease>>;

const RENEW_EVERY_MS = 2_000;

/** Sends what a working splitter sends for its lease, until the stack ends. */
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
    /** Reports progress of fetching the source. */
    reportFetched(fetchedBytes: bigint, totalBytes?: bigint) {
      const fetching = totalBytes === undefined ? { fetchedBytes } : { fetchedBytes, totalBytes };
      progress = { ...progress, fetching };
      return renew();
    },
  };
}
