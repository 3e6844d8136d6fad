/** CPU time of other processes of this machine. Linux only; elsewhere there is none to see. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Of Linux's USER_HZ, which is 100 on all machines that Node runs on. */
const MS_PER_TICK = 10;
const LISTENING = '0A';

/** User and system time of a process; 0 for one that is not ours to see, or is another program. */
export async function cpuMsOf(pid: number, program: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // proc_pid_stat(5): the second field is the name in brackets, which may hold anything; utime and stime are 14 and 15.
  const [, name, fields = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  if (name !== program) return 0;
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user ?? 0) + Number(system ?? 0)) * MS_PER_TICK;
}

/** The process that listens on a port of this machine. */
export async function findListener(port: number): Promise<number | undefined> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(([, local, , state]) => local?.endsWith(localPort) === true && state === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`);
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (sockets.includes(target)) return Number(pid);
    }
  }
  return undefined;
}
