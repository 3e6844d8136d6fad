import { readdir, readFile } from 'node:fs/promises';

/** Ids of running children of this process that run `binaryPath`; none if the host has no /proc. */
export async function findProcesses(binaryPath: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const [command, status] = await Promise.all(
          ['cmdline', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
        );
        const isOurs = status?.includes(`\nPPid:\t${process.pid}\n`) && !status.includes('\nState:\tZ');
        return isOurs && command?.includes(binaryPath) ? Number(pid) : undefined;
      }),
  );
  return found.filter((pid) => pid !== undefined);
}
