/**
 * The time until everything has recovered from a fault: processes and engines are ready again, the affected
 * jobs have progressed, and a new job is completed.
 */
import type { Load } from '../harness/load/load.ts';
import { RECIPES } from '../harness/load/recipes.ts';
import { secondsUntil } from '../harness/seconds-until.ts';
import type { ChaosInstallation } from './chaos-installation.ts';
import type { Struck } from './faults/fault.ts';

/** Far more than is allowed, so that the report of a violation contains the real duration. */
const TIMEOUT_MS = 120_000;

/** `recoveryMs` is undefined after the timeout; `missing` are the conditions that did not hold by then. */
export async function awaitRecovery(
  { installation, jobs: database }: ChaosInstallation,
  load: Load,
  { processes = [], engines = [], jobs = [] }: Struck,
) {
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
  const held = await Promise.all(conditions.map(({ holds }) => secondsUntil(holds, TIMEOUT_MS)));
  const missing = conditions.filter((_, n) => held[n] === undefined).map(({ what }) => what);
  const longest = Math.max(...held.map((seconds) => seconds ?? 0));
  return { recoveryMs: missing.length === 0 ? Math.round(longest * 1_000) : undefined, missing };
}

function completionOfNewJob(load: Load): () => Promise<boolean> {
  let posted = load.post(RECIPES[0], 0);
  return async () => {
    const { account, accepted } = await posted;
    // A rejected request is a separate violation.
    if (accepted === undefined) return true;
    const job = await account.client.getSplit(accepted.id).catch(() => undefined);
    if (job?.status === 'failed') posted = load.post(RECIPES[0], 0);
    return job?.status === 'completed';
  };
}
