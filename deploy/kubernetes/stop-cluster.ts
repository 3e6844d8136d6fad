import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { lockState } from '../provision/lock.ts';
import { terminate } from '../provision/process-identity.ts';
import type { Report } from '../provision/progress.ts';
import { removeControlGroups } from './control-groups.ts';
import { closeMachine } from './machine.ts';
import { type RealClusterState, readState, type SimulatedClusterState } from './state.ts';

const KILL_TIMEOUT_MS = 10_000;

/** Resolves with whether there was one; throws ProvisionError where a start or stop is at work in the folder. */
export async function stopCluster(dataDir: string, report: Report): Promise<boolean> {
  if (!existsSync(dataDir)) return false;
  await using _lock = await lockState(dataDir);
  return await endCluster(dataDir, report);
}

/** For who holds the folder's lock: ends all that runs, and deletes the folder. */
export async function endCluster(dataDir: string, report: Report): Promise<boolean> {
  const state = readState(dataDir);
  if (state === undefined) return false;
  await (state.nodes === 'real' ? endMachines(state, report) : endProcesses(state, report));
  await rm(dataDir, { recursive: true, force: true });
  return true;
}

/** And with each whatever runs in it. */
async function endMachines({ machines }: RealClusterState, report: Report): Promise<void> {
  await Promise.all(
    Object.entries(machines).map(async ([name, holder]) => {
      await closeMachine(holder);
      report(name, 'stopped');
    }),
  );
  await removeControlGroups();
}

/** Without time to say goodbye: what they have written goes with the folder. */
async function endProcesses({ processes }: SimulatedClusterState, report: Report): Promise<void> {
  await Promise.all(
    Object.entries(processes).map(async ([name, identity]) => {
      await terminate(identity, 'SIGKILL', KILL_TIMEOUT_MS);
      report(name, 'stopped');
    }),
  );
}
