/** The product under the load of a rolling restart's test while something happens to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import type { Account } from '../harness/accounts/open-account.ts';
import { type LoadReport, type LoadSources, startSteadyLoad } from '../harness/load/steady-load.ts';

/** For whatever the product does to be whole again. */
const RECOVERY_TIMEOUT_MS = 240_000;
const USE_TIMEOUT_MS = 120_000;

export interface LoadContext {
  /** An account whose limits are raised. */
  user(): Promise<Account>;
  readonly sources: LoadSources;
  readonly signal: AbortSignal;
}

/** Asks once a second: each question is a request or two to an API that has other things to do. */
export async function untilSeen(
  { signal }: Pick<LoadContext, 'signal'>,
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = RECOVERY_TIMEOUT_MS,
): Promise<void> {
  const asked = async () => {
    await sleep(1_000, undefined, { signal });
    return await condition();
  };
  await until(asked, what, timeoutMs);
}

/** Acts once every kind of request has been answered; resolves with what became of the load. */
export async function underLoad(context: LoadContext, act: () => Promise<void>): Promise<LoadReport> {
  const load = startSteadyLoad(await context.user(), context.sources);
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered', USE_TIMEOUT_MS);
    await act();
  } catch (error) {
    await load.stop();
    throw error;
  }
  return await load.stop();
}

/** Resolves with what there is to tell; throws where a single request failed or a job does not complete. */
export async function withoutFailures(context: LoadContext, act: () => Promise<void>): Promise<string> {
  const load = await underLoad(context, act);
  if (load.failures.length > 0) throw failed(load);
  await allComplete(context);
  return `${describeLoad(load)}, none failed; every job completed`;
}

/** The failure of a step whose load has failures. */
export function failed(load: LoadReport): Error {
  return new Error(
    `${load.failures.length} requests failed (${describeLoad(load)}): ${load.failures.slice(0, 5).join('; ')}`,
  );
}

export function describeLoad({ answered, created, resumed }: LoadReport): string {
  const requests = Object.values(answered).reduce((sum, count) => sum + count, 0);
  return `${requests} requests answered, ${created} jobs created, ${resumed} streams taken up again`;
}

export async function allComplete(context: LoadContext): Promise<void> {
  const user = await context.user();
  const total = async (status?: 'completed') => {
    const query = { limit: 1, ...(status === undefined ? {} : { status }) };
    return (await user.client.listSplits(query)).pagination.total;
  };
  await untilSeen(
    context,
    'every job is complete',
    async () => (await total()) === (await total('completed')),
  );
}
