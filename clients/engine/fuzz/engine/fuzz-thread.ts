/** The thread that runs the targets: it may be killed at any time, and takes nothing with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { installAllocationLimit } from './allocation-limit.ts';
import { createCoverage, installCounters } from './coverage.ts';
import { installLoaderHooks } from './loader-hooks.ts';
import { READ_LIMIT } from './read-limit.ts';
import { createRunningCase } from './running-case.ts';
import type { ThreadData, ThreadMessage } from './thread-messages.ts';

const MAX_ALLOCATED_BYTES = 64 * 1024 * 1024;

const { tasks, workDir, targetsUrl, shared }: ThreadData = workerData;

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

const counters = installCounters();
const usedBranches = installLoaderHooks();
// Only modules loaded from here on are instrumented.
const { loadTarget }: typeof import('../targets/targets.ts') = await import(targetsUrl);
const { runCampaign } = await import('./campaign.ts');
const running = createRunningCase(shared);
const limits = [installAllocationLimit(MAX_ALLOCATED_BYTES), READ_LIMIT];

for (const [index, { targetName, executions, seed }] of tasks.entries()) {
  const target = await loadTarget(targetName);
  running.beginTask(index);
  await runCampaign({
    target,
    executions,
    seed,
    coverage: createCoverage(counters, usedBranches),
    limits,
    running,
    workDir,
    onFinding: (finding) => post({ kind: 'finding', finding }),
  });
  post({ kind: 'task-done', targetName, counts: running.counts() });
}
post({ kind: 'done' });
