import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { lockState } from '../provision/lock.ts';
import type { Report } from '../provision/progress.ts';
import { removeControlGroups } from './machine/control-groups.ts';
import { closeMachine } from './machine/machine.ts';
import { readState } from './state.ts';

/** Resolves with whether there was one; throws ProvisionError if a start or stop is running in the folder. */
export async function stopCluster(dataDir: string, report: Report): Promise<boolean> {
  if (!existsSync(dataDir)) return false;
  await using _lock = await lockState(dataDir);
  return await endCluster(dataDir, report);
}

/** Stops everything and deletes the folder. The caller holds the folder's lock. */
export async function endCluster(dataDir: string, report: Report): Promise<boolean> {
  const state = readState(dataDir);
  if (state === undefined) return false;
  await Promise.all(
    Object.entries(state.machines).map(async ([name, holder]) => {
      await closeMachine(holder);
      report(name, 'stopped');
    }),
  );
  await removeControlGroups();
  await rm(dataDir, { recursive: true, force: true });
  return true;
}
