/** The engines of a drill: stopped, lost with what they hold, and started again, empty or not. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineEndpoints, EngineName } from '../../../deploy/engines/engine.ts';
import { endpointsOf, readState } from '../../../deploy/engines/engines-state.ts';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { INSTALLATION_ENGINES } from '../../../deploy/processes/installation-config.ts';
import { isAlive, terminate } from '../../../deploy/provision/process-identity.ts';
import type { Report } from '../../../deploy/provision/progress.ts';

export interface Engines {
  /** Where they are, those included that are away. */
  endpoints(): Omit<EngineEndpoints, 'stripeMockUrl'>;
  /** As an operator stops it: with its data, in order. */
  stop(name: EngineName): Promise<void>;
  /** SIGKILL (to Postgres its immediate stop), and its data is deleted. */
  lose(name: EngineName): Promise<void>;
  /** At the same address and with the same secret. Resolves when it answers. */
  start(name: EngineName): Promise<void>;
  /** Those that do not run. */
  startAll(): Promise<void>;
}

const STOP_GRACE_MS = 15_000;

export function createEngines(dir: string, report: Report, signal: AbortSignal): Engines {
  const recordOf = (name: EngineName) => {
    const record = readState(dir)[name];
    if (record === undefined) throw new Error(`${name} has never been started`);
    return record;
  };
  const end = async (name: EngineName, how: NodeJS.Signals) => {
    const { process } = recordOf(name);
    if (process !== null && isAlive(process)) await terminate(process, how, STOP_GRACE_MS);
  };
  const start = async (only: readonly EngineName[]) => {
    await startEngines({ dir, only, report, signal });
  };
  return {
    endpoints: () => {
      const known = Object.fromEntries(
        Object.entries(readState(dir)).map(([name, record]) => [
          name,
          { ...record, process: record.process ?? { pid: 0, startTicks: 0 } },
        ]),
      );
      return endpointsOf(known) as EngineEndpoints;
    },
    stop: (name) => end(name, 'SIGTERM'),
    async lose(name) {
      await end(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      // The folder itself belongs to the engine's account.
      const { dataDir } = recordOf(name);
      for (const entry of readdirSync(dataDir)) rmSync(join(dataDir, entry), { recursive: true });
    },
    start: (name) => start([name]),
    startAll: () => start(INSTALLATION_ENGINES),
  };
}
