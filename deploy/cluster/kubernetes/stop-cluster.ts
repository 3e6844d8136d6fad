import { rm } from 'node:fs/promises';
import type { Report } from '../../engines/progress.ts';
import { removeControlGroups } from './control-groups.ts';
import { closeMachine } from './machine.ts';
import { readState } from './state.ts';

/** Ends every machine, and with it whatever runs in it, and deletes the folder. Does nothing where there is no cluster in it. */
export async function stopCluster(dataDir: string, report: Report): Promise<void> {
  const state = readState(dataDir);
  if (state === undefined) {
    report('cluster', 'not running');
    return;
  }
  await Promise.all(
    Object.entries(state.machines).map(async ([name, holder]) => {
      await closeMachine(holder);
      report(name, 'stopped');
    }),
  );
  await removeControlGroups();
  await rm(dataDir, { recursive: true, force: true });
}
