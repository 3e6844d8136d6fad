/**
 * Processes of the cluster: started in a machine, logged into the data folder, and awaited until they are
 * ready.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import { logTail, spawnEngine } from '../../engines/engine-process.ts';
import type { Launch } from '../../provision/launch.ts';
import { isAlive } from '../../provision/process-identity.ts';
import { ProvisionError } from '../../provision/provision-error.ts';
import { inMachine, type Machine } from './machine.ts';

const READY_TIMEOUT_MS = 180_000;
const PROBE_PAUSE_MS = 250;
const LOG_TAIL_LINES = 20;

interface ProcessOptions {
  readonly name: string;
  /** Its working folder. */
  readonly folder: string;
  /** The folder of its log. */
  readonly logs: string;
}

export async function startProcess(machine: Machine, launch: Launch, { name, folder, logs }: ProcessOptions) {
  const logFile = join(logs, `${machine.name}-${name}.log`);
  return { name, logFile, identity: await spawnEngine(inMachine(machine, launch), folder, logFile) };
}

/** Throws ProvisionError, with the end of its log, if it ends before that or is not ready in time. */
export async function untilReady(
  { name, identity, logFile }: Awaited<ReturnType<typeof startProcess>>,
  isReady: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  let last = 'it answered that it was not ready';
  for (;;) {
    signal.throwIfAborted();
    try {
      if (await isReady()) return;
    } catch (error) {
      last = messageOf(error);
    }
    const problem = isAlive(identity)
      ? performance.now() > deadlineMs && `was not ready within ${READY_TIMEOUT_MS / 1000} s: ${last}`
      : 'ended before it was ready';
    if (problem) throw new ProvisionError(`${name} ${problem}\n${logTail(logFile, LOG_TAIL_LINES)}`);
    await sleep(PROBE_PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
