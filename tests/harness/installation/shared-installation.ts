/** One product for all suites of a test process. Each suite has its own account. */
import { checkedFetch } from '../accounts/checked-fetch.ts';
import { untilLimitHolds } from '../accounts/limits.ts';
import { openAccount } from '../accounts/open-account.ts';
import { containersUnderTest } from './as-a-user/containers-under-test.ts';
import { forgetCounts } from './as-a-user/counts.ts';
import type { Product, StartedProduct } from './as-a-user/product.ts';
import { userStart } from './as-a-user/start-as-user.ts';
import { startInstallation } from './start-installation.ts';

/** The account's limits exceed what a suite needs. */
const PLAN = { plan: 'plan_enterprise', requestsPerMinute: 1_000 } as const;

let starting: Promise<StartedProduct> | undefined;

/**
 * For the product as its users start it, or its containers: attaches with a new account and reset counters.
 */
export async function attachToSharedInstallation(): Promise<Product> {
  const product = containersUnderTest?.product ?? (await start());
  const headers = await (containersUnderTest === undefined
    ? userStart.forgetCounts()
    : forgetCounts(containersUnderTest.redisUrl));
  const { baseUrl } = product;
  const account = await openAccount(baseUrl, { plan: PLAN.plan, fetch: checkedFetch(baseUrl, headers) });
  await untilLimitHolds(baseUrl, account, PLAN.requestsPerMinute);
  return { ...product, apiKey: account.apiKey, headers };
}

/** Called after the last suite. */
export async function stopSharedInstallation(): Promise<void> {
  // The suites that needed it have already reported a failed start.
  const product = await starting?.catch(() => undefined);
  await product?.[Symbol.asyncDispose]();
}

function start(): Promise<StartedProduct> {
  starting ??= startInstallation({ kind: 'as-a-user', env: userStart.sharedEnv });
  return starting;
}
