import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Finding, keyOf } from './finding.ts';
import { createRunningCase, type RunCounts, type RunningCase } from './running-case.ts';
import type { FuzzTask, ThreadData, ThreadMessage } from './thread-messages.ts';

export interface SuperviseOptions {
  readonly tasks: readonly FuzzTask[];
  /** Empty, and left empty. */
  readonly workDir: string;
  /** The processor time after which a case counts as endless; a case that ends may use a second of it. */
  readonly hangCpuMs?: number;
  /** The same by the clock, for a case that waits: long, because a starved thread gets hardly any processor time. */
  readonly hangWallMs?: number;
  readonly maxHeapMb?: number;
  /** A module that exports another `loadTarget`. */
  readonly targetsUrl?: string;
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress: (task: FuzzTask, counts: RunCounts) => void;
  readonly onTaskEnd: (targetName: string, counts: RunCounts) => void;
}

const MAX_HEAP_MB = 256;
const WATCH_MS = 250;
const HANG_CPU_MS = 10_000;
const HANG_WALL_MS = 300_000;
const TARGETS_URL = new URL('../targets/targets.ts', import.meta.url).href;
/** A target that kills its thread over and over is given up. */
const MAX_KILLS = 3;

/**
 * Runs tasks one after another in a thread and watches it. If a case does not end, or exhausts the memory,
 * the thread is killed; the case is a finding, and a new thread continues with the remaining tasks.
 */
export async function supervise(options: SuperviseOptions): Promise<void> {
  let tasks = options.tasks;
  for (let kills = 0; tasks.length > 0; ) {
    const death = await runThread({ ...options, tasks });
    if (death === undefined) return;
    options.onFinding(death.finding);
    const [killed, ...rest] = tasks.slice(death.taskIndex);
    kills = death.taskIndex === 0 ? kills + 1 : 1;
    const left = (killed?.executions ?? 0) - death.finding.execution;
    const isGivenUp = killed === undefined || left <= 0 || kills === MAX_KILLS;
    if (isGivenUp) options.onTaskEnd(death.finding.target, death.counts);
    if (isGivenUp) kills = 0;
    tasks = isGivenUp ? rest : [{ ...killed, executions: left, seed: killed.seed + 1 }, ...rest];
  }
}

interface ThreadDeath {
  readonly taskIndex: number;
  readonly finding: Finding;
  readonly counts: RunCounts;
}

/** undefined: the thread came to the end of its tasks. */
async function runThread(options: SuperviseOptions): Promise<ThreadDeath | undefined> {
  const { tasks, workDir, maxHeapMb = MAX_HEAP_MB, targetsUrl = TARGETS_URL } = options;
  const running = createRunningCase();
  const data: ThreadData = { tasks, workDir, targetsUrl, shared: running.buffer };
  const worker = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: data,
    // Instrumenting strips types by a function that Node calls experimental.
    execArgv: ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  let isDone = false;
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'finding') options.onFinding(message.finding);
    else if (message.kind === 'task-done') options.onTaskEnd(message.targetName, message.counts);
    else isDone = true;
  });
  const stopped = new AbortController();
  const failed = once(worker, 'exit', { signal: stopped.signal }).then(
    // If nothing can wake a thread whose case still waits, the thread ends.
    () => (isDone ? undefined : { hang: 'the case waits for nothing' }),
    (error: unknown) => (stopped.signal.aborted ? undefined : { error }),
  );
  const hung = watchForHang(running, options, stopped.signal, () => {
    const task = tasks[running.taskIndex()];
    if (task !== undefined) options.onProgress(task, running.counts());
  });
  const death = await Promise.race([failed, hung]);
  stopped.abort();
  await worker.terminate();
  for (const name of readdirSync(workDir)) rmSync(join(workDir, name), { recursive: true });
  return death === undefined ? undefined : describeDeath(tasks, running, death);
}

type DeathCause = { readonly error: unknown } | Hang;

interface Hang {
  /** What the case does instead of ending. */
  readonly hang: string;
}

function describeDeath(tasks: readonly FuzzTask[], running: RunningCase, cause: DeathCause): ThreadDeath {
  const input = running.input();
  const taskIndex = running.taskIndex();
  const task = tasks[taskIndex];
  // Without a case the fault is the fuzzer's own.
  if (input === undefined || task === undefined)
    throw 'hang' in cause ? new Error('no case hangs') : cause.error;
  const counts = running.counts();
  const about = { target: task.targetName, seed: task.seed, input, execution: counts.executions };
  const finding: Finding =
    'hang' in cause
      ? { ...about, kind: 'hang', key: 'hang', detail: cause.hang }
      : { ...about, kind: isOutOfMemory(cause.error) ? 'memory' : 'error', ...describeError(cause.error) };
  return { taskIndex, counts, finding };
}

/**
 * Resolves when one and the same case has been running for too long; undefined when stopped. The processor
 * time is the process's, because a thread that hangs cannot report its own; the other threads are idle.
 */
async function watchForHang(
  running: RunningCase,
  { hangCpuMs = HANG_CPU_MS, hangWallMs = HANG_WALL_MS }: Pick<SuperviseOptions, 'hangCpuMs' | 'hangWallMs'>,
  signal: AbortSignal,
  onLook: () => void,
): Promise<Hang | undefined> {
  let seen = -1;
  let sinceMs = performance.now();
  let cpuSince = process.cpuUsage();
  while (!signal.aborted) {
    await wait(WATCH_MS, undefined, { signal }).catch(() => undefined);
    onLook();
    const { executions } = running.counts();
    if (running.input() === undefined || executions !== seen) {
      seen = executions;
      sinceMs = performance.now();
      cpuSince = process.cpuUsage();
    }
    const { user, system } = process.cpuUsage(cpuSince);
    const cpuMs = (user + system) / 1000;
    const wallMs = performance.now() - sinceMs;
    if (cpuMs > hangCpuMs || wallMs > hangWallMs)
      return {
        hang: `the case does not end: ${Math.round(cpuMs)} ms of processor time in ${Math.round(wallMs)} ms`,
      };
  }
  return undefined;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function describeError(error: unknown): Pick<Finding, 'key' | 'detail'> {
  return {
    key: `fatal ${keyOf(error)}`,
    detail: error instanceof Error ? (error.stack ?? '') : String(error),
  };
}
