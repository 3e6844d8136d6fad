import { readFileSync } from 'node:fs';
import { readStat } from '../../provision/process-identity.ts';

export interface ProcessUsage {
  /** Share of one core since the last measurement of this process. */
  readonly cpuPercent: number;
  readonly residentBytes: number;
}

/** proc(5) counts processor time in ticks of USER_HZ, which is 100 on every Linux architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** The returned function gives undefined for a process that has ended. */
export function createUsageMeter(): (pid: number) => ProcessUsage | undefined {
  const last = new Map<number, { readonly ticks: number; readonly atMs: number }>();
  return (pid) => {
    try {
      const { ticks, residentBytes } = readUsage(pid);
      const atMs = performance.now();
      const before = last.get(pid) ?? { ticks, atMs: 0 };
      last.set(pid, { ticks, atMs });
      const seconds = (atMs - before.atMs) / 1_000;
      return { cpuPercent: ((ticks - before.ticks) / TICKS_PER_SECOND / seconds) * 100, residentBytes };
    } catch {
      last.delete(pid);
      return undefined;
    }
  };
}

function readUsage(pid: number): { ticks: number; residentBytes: number } {
  const fields = readStat(pid);
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const residentKib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  return { ticks: Number(fields[14]) + Number(fields[15]), residentBytes: residentKib * 1_024 };
}
