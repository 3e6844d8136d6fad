/**
 * The time until everything has recovered from a fault: processes and engines are ready again, the jobs that it hit have
 * moved on, and a new job is completed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../harness/load/load.ts';
import { RECIPES } from '../harness/load/recipes.ts';
import type { ChaosInstallation } from './chaos-installation.ts';
import type { Struck } from './faults/fault.ts';

export interface Recovery {
  /** Since the call; undefined after the timeout. */
  readonly ms: number | undefined;
  /** The conditions that did not hold by then. */
  readonly missing: readonly string[];
}

/** Far more than is allowed, so that the report of a violation has the real duration. */
const TIMEOUT_MS = 120_000;
const LOOK_EVERY_MS = 200;

export async function awaitRecovery(
  { installation, jobs: database }: ChaosInstallation,
  load: Load,
  struck: Struck,
): Promise<Recovery> {
  const startedMs = performance.now();
  const { processes = [], engines = [], jobs = [] } = struck;
  const conditions: { readonly what: string; readonly holds: () => boolean | Promise<boolean> }[] = [
    ...processes.map(({ name, formerPid }) => ({
      what: `${name} is ready`,
      holds: () => installation.processes.isReady(name) && installation.processes.pid(name) !== formerPid,
    })),
    ...engines.map(({ name, formerPid }) => ({
      what: `${name} runs`,
      holds: () => ![undefined, formerPid].includes(installation.engines.pid(name)),
    })),
    ...jobs.map((job) => ({
      what: `job ${job.id} has moved on`,
      holds: () => database.hasMovedOn(job),
    })),
    { what: 'a new job is completed', holds: completionOfNewJob(load) },
  ];
  const missing = new Set(conditions.map(({ what }) => what));
  await Promise.all(
    conditions.map(async ({ what, holds }) => {
      while (!(await holds())) {
        if (performance.now() - startedMs > TIMEOUT_MS) return;
        await sleep(LOOK_EVERY_MS);
      }
      missing.delete(what);
    }),
  );
  return { ms: missing.size === 0 ? performance.now() - startedMs : undefined, missing: [...missing] };
}

function completionOfNewJob(load: Load): () => Promise<boolean> {
  let posted = load.post(RECIPES[0], 0);
  return async () => {
    const { account, accepted } = await posted;
    // A rejected request is a violation of its own.
    if (accepted === undefined) return true;
    const job = await account.client.getSplit(accepted.id).catch(() => undefined);
    if (job?.status === 'failed') posted = load.post(RECIPES[0], 0);
    return job?.status === 'completed';
  };
}
