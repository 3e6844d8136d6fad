import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identifyProcess, terminate } from '../provision/process-identity.ts';

/**
 * Makes a cluster startable again after its postmaster was killed. Call it only if the postmaster is known to
 * be dead.
 *
 * The lock file contains its process id, and the next server mistakes any process with that id for it, even
 * one that has ended and was never reaped, as in a container whose first process reaps nothing. Without the
 * file the server does not check for remaining backends, so those are ended first: every process of a server
 * has the data directory as its working directory.
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

/** Undefined for a process that has ended or belongs to another user. */
function workingDir(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
