import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from './executable.ts';
import { awaitLock } from './lock.ts';
import { ProvisionError } from './provision-error.ts';
import { runTool } from './run-tool.ts';
import type { Task } from './task.ts';

let isIndexFresh = false;

const LOCK_FILE = join(tmpdir(), 'audiosplit-apt-get.lock');
/** Another process on this machine may be installing, and a mirror may fail temporarily. */
const PATIENCE = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];

/**
 * Installs Debian packages. If this process may not, throws ProvisionError with the command to run.
 *
 * Only one process at a time does it: apt-get waits while another one installs, but fails while another one
 * reads the index.
 */
export async function installPackages(
  packages: readonly string[],
  purpose: string,
  task: Task,
): Promise<void> {
  assertMayInstall(packages, purpose);
  await using _lock = await awaitLock(LOCK_FILE, task.signal);
  await task.step(`apt-get install ${packages.join(' ')}`, async () => {
    await refreshIndex(task);
    await runTool(
      'apt-get',
      [...PATIENCE, 'install', '--yes', '--no-install-recommends', ...packages],
      aptOptions(task),
    );
  });
}

/** The version that apt would install, without Debian's epoch; undefined when there is none. */
export async function candidateVersion(name: string, task: Task): Promise<string | undefined> {
  if (findExecutable('apt-cache') === undefined) return undefined;
  const policy = await runTool('apt-cache', ['policy', name], { signal: task.signal });
  return /Candidate: (?:\d+:)?(\d\S*)/.exec(policy)?.[1];
}

function assertMayInstall(packages: readonly string[], purpose: string): void {
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (findExecutable('apt-get') === undefined) {
    throw new ProvisionError(
      `${purpose} is missing and there is no apt-get: install what Debian calls ${packages.join(' ')}`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new ProvisionError(`${purpose} is missing: run \`sudo ${command}\``);
  }
}

async function refreshIndex(task: Task): Promise<void> {
  if (isIndexFresh) return;
  await runTool('apt-get', [...PATIENCE, 'update'], aptOptions(task));
  isIndexFresh = true;
}

function aptOptions(task: Task) {
  return { signal: task.signal, environment: { DEBIAN_FRONTEND: 'noninteractive' } };
}
