import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Report } from '../../engines/progress.ts';
import { removeControlGroups } from './control-groups.ts';
import { closeMachine } from './machine.ts';
import { readState } from './state.ts';

/** Ends every machine, and with it whatever runs in it, and deletes the data. Does nothing where there is no cluster. */
export async function stopCluster(dataDir: string, report: Report): Promise<void> {
  if (!existsSync(dataDir)) {
    report('cluster', 'not running');
    return;
  }
  const { machines = {} } = readState(dataDir) ?? {};
  await Promise.all(
    Object.entries(machines).map(async ([name, holder]) => {
      await closeMachine(holder);
      report(name, 'stopped');
    }),
  );
  await removeControlGroups();
  await rm(dataDir, { recursive: true, force: true });
}

/** After a start that has failed: what came up by then is of no use to anybody. */
export async function stopUnlessReady(dataDir: string, report: Report): Promise<void> {
  if (readState(dataDir)?.isReady !== true) await stopCluster(dataDir, report);
}
