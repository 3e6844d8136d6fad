import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process id and the time of its start: ids are reused, so an id alone may refer to another process. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since boot. */
  readonly startTicks: number;
}

/**
 * The fields of proc(5), by their numbers. Field 2 is a name in parentheses that may hold spaces and parentheses, so
 * reading starts behind the last parenthesis, with field 3.
 */
export function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return ['', '', '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')];
}

/** Null if no process has that id, or if it has ended and its parent has not reaped it yet. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  let fields: readonly string[];
  try {
    fields = readStat(pid);
  } catch {
    return null;
  }
  const state = fields[3];
  const threadCount = Number(fields[20]);
  const startTicks = Number(fields[22]);
  // The first thread may be a zombie while other threads are still ending and hold the ports.
  if (state === 'X' || (state === 'Z' && threadCount <= 1)) return null;
  return { pid, startTicks };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTicks === identity.startTicks;
}

/** Sends `signal`, and SIGKILL if the process still exists after `graceMs`. Resolves once it has ended. */
export async function terminate(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<'not running' | 'stopped' | 'killed'> {
  if (!isAlive(identity)) return 'not running';
  process.kill(identity.pid, signal);
  if (await isGoneWithin(identity, graceMs)) return 'stopped';
  process.kill(identity.pid, 'SIGKILL');
  if (await isGoneWithin(identity, 5_000)) return 'killed';
  throw new Error(`process ${identity.pid} does not end, not even on SIGKILL`);
}

async function isGoneWithin(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await delay(25);
  }
  return true;
}
