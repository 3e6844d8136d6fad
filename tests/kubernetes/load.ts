/** Applies the load of the rolling-restart test to the product while something happens to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import { type LoadReport, type LoadSources, startSteadyLoad } from '../harness/load/steady-load.ts';
import { type Pod, podsIn } from './workload.ts';

/** The time for every kind of recovery of the product. */
const RECOVERY_TIMEOUT_MS = 240_000;
const USE_TIMEOUT_MS = 120_000;

export interface LoadContext {
  /** An account whose limits are raised. */
  user(): Promise<Account>;
  readonly sources: LoadSources;
  readonly signal: AbortSignal;
}

/** Polls once a second: each poll is a request or two to an API that is busy. */
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

/** Acts; resolves when no earlier pod of a Deployment is left, draining ones included. */
export async function untilReplaced(
  context: Pick<LoadContext, 'signal'> & { readonly api: KubernetesApi },
  namespace: string,
  act: () => Promise<void>,
): Promise<void> {
  // Pods of engines and Jobs do not have this label.
  const list = () => context.api.list<Pod>(podsIn(namespace), 'pod-template-hash');
  const former = (await list()).map(({ metadata }) => metadata.uid);
  await act();
  await untilSeen(context, 'no pod of before is left', async () =>
    (await list()).every(({ metadata }) => !former.includes(metadata.uid)),
  );
}

/** Acts once every kind of request has been answered; resolves with the load's report. */
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

/** Resolves with a summary; throws if a single request failed or a job does not complete. */
export async function withoutFailures(context: LoadContext, act: () => Promise<void>): Promise<string> {
  const load = await underLoad(context, act);
  if (load.failures.length > 0) throw failed(load);
  await allComplete(context);
  return `${describeLoad(load)}, none failed; every job completed`;
}

/** The error of a step whose load has failures. */
export function failed(load: LoadReport): Error {
  return new Error(
    `${load.failures.length} requests failed (${describeLoad(load)}): ${load.failures.slice(0, 5).join('; ')}`,
  );
}

export function describeLoad({ answered, created, resumed }: LoadReport): string {
  const requests = Object.values(answered).reduce((sum, count) => sum + count, 0);
  return `${requests} requests answered, ${created} jobs created, ${resumed} streams taken up again`;
}

export async function allComplete(context: LoadContext, timeoutMs?: number): Promise<void> {
  const user = await context.user();
  const total = async (status?: 'completed') => {
    const query = { limit: 1, ...(status === undefined ? {} : { status }) };
    return (await user.client.listSplits(query)).pagination.total;
  };
  await untilSeen(
    context,
    'every job is complete',
    async () => (await total()) === (await total('completed')),
    timeoutMs,
  );
}
