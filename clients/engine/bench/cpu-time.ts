import { readFileSync } from 'node:fs';

/** What the kernel counts for user space in, on every architecture (USER_HZ). */
const TICKS_PER_SECOND = 100;

/**
 * Processor time of this process and of all ended child processes, in seconds; NaN on systems other than
 * Linux.
 */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrensCpuSeconds();
}

/** Of the children that have ended, with theirs. */
export function childrensCpuSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN;
  // The second field, the program's name, may hold anything; behind it come fields 3 and up (proc_pid_stat(5)).
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  const [cutime, cstime] = [Number(fields[16 - 3]), Number(fields[17 - 3])];
  return (cutime + cstime) / TICKS_PER_SECOND;
}
