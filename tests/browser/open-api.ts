/** For suites that play a part behind the page themselves: that of the splitter, or of what has failed. */
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';
import type { ScriptedInstallation } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { launchChromium } from './chromium.ts';
import { signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

/** The gateway before all services, on a Postgres of its own. All of it ends with the stack. */
export async function openApi(stack: AsyncDisposableStack): Promise<ScriptedInstallation> {
  const postgres = stack.use(await startOwnPostgres({ durable: false }));
  process.env.TEST_DATABASE_URL = postgres.url;
  return stack.use(await startInstallation({ kind: 'scripted', pages: 'built' }));
}

/** The same in a browser, in which somebody has just signed up. */
export async function openAccountPage(stack: AsyncDisposableStack, email: string) {
  const api = await openApi(stack);
  const browser = stack.adopt(await launchChromium(process.env), (each) => each.close());
  const visitor = stack.use(await openVisitor(browser, api.url));
  await signUp(visitor.page, email);
  return { api, browser, visitor, page: visitor.page };
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
