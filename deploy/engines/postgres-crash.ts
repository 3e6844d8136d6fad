import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identifyProcess, terminate } from '../provision/process-identity.ts';

/**
 * Makes a cluster startable again whose postmaster was killed. To be called only when it is known to be dead.
 *
 * The lock file names its process id, and the next server takes any process of that id for it, even one that
 * has ended and was never waited for, as under a container's first process that reaps nothing. With the file
 * goes the server's own check for backends left behind, so those are ended first: every process of a server
 * works in the data directory.
 */
export async function recoverFromCrash(cluster: string): Promise<void> {
  const lockFile = join(cluster, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const root = realpathSync(cluster);
  const orphans = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && workingDir(entry) === root)
    .map((entry) => identifyProcess(Number(entry)))
    .filter((identity) => identity !== null);
  await Promise.all(orphans.map((identity) => terminate(identity, 'SIGKILL', 5_000)));

  const [postmasterPid] = readFileSync(lockFile, 'utf8').split('\n');
  if (identifyProcess(Number(postmasterPid)) === null) await rm(lockFile);
}

/** Undefined for a process that has ended or belongs to somebody else. */
function workingDir(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
