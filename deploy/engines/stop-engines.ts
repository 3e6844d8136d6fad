import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasCode } from '@audiosplit/chassis/errors';
import { lockState } from '../provision/lock.ts';
import { terminate } from '../provision/process-identity.ts';
import { type Report, seconds } from '../provision/progress.ts';
import { engineNames } from './engine.ts';
import { engines } from './engine-catalog.ts';
import { readState, stateFile, writeState } from './engines-state.ts';
import { stopGraceMs } from './start-engine.ts';

/**
 * Stops every engine of a state folder, with SIGKILL after ten seconds. Does nothing if none was ever
 * started.
 */
export async function stopEngines(options: {
  readonly dir: string;
  /** Keeps data, ports and secrets for the next start; by default all of it is deleted. */
  readonly keepData?: boolean;
  readonly report?: Report;
}): Promise<void> {
  const { keepData = false, report = () => {} } = options;
  const dir = resolve(options.dir);
  if (!existsSync(dir)) return;
  await using _lock = await lockState(dir);
  const state = readState(dir);

  await Promise.all(
    engineNames.map(async (name) => {
      const record = state[name];
      if (!record) return;
      const startedMs = performance.now();
      const outcome = record.process
        ? await terminate(record.process, engines[name].stopSignal, stopGraceMs)
        : 'not running';
      report(name, outcome === 'not running' ? outcome : `${outcome} after ${seconds(startedMs)}`);
      state[name] = { ...record, process: null };
      if (!keepData) {
        await rm(record.dataDir, { recursive: true, force: true });
        await rm(record.logFile, { force: true });
        await rm(`${record.logFile}.previous`, { force: true });
      }
    }),
  );

  await rm(join(dir, 'engines.env'), { force: true });
  if (keepData) {
    writeState(dir, state);
    return;
  }
  await rm(stateFile(dir), { force: true });
  // A folder given by the user may contain other files.
  await rmdir(dir).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  });
}
