/**
 * How long it takes until everything is well after a fault: processes and engines are there again and ready, the jobs that
 * ran where it struck have moved on, and a job that is posted at this moment is completed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../harness/load/load.ts';
import { RECIPES } from '../harness/load/recipes.ts';
import type { ChaosInstallation } from './chaos-installation.ts';
import type { Struck } from './faults/fault.ts';

export interface Recovery {
  /** From when it was asked; undefined when it took longer than a run waits. */
  readonly ms: number | undefined;
  /** What is still missing then. */
  readonly missing: readonly string[];
}

/** Far more than is allowed, so that a violation says how long it took. */
const PATIENCE_MS = 120_000;
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
        if (performance.now() - startedMs > PATIENCE_MS) return;
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
    // A refusal is a violation by itself.
    if (accepted === undefined) return true;
    const job = await account.client.getSplit(accepted.id).catch(() => undefined);
    if (job?.status === 'failed') posted = load.post(RECIPES[0], 0);
    return job?.status === 'completed';
  };
}
