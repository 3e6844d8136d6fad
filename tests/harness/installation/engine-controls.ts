/** Kills, freezes and wipes the engines of an installation, and restarts them on their ports. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineEndpoints, type EngineName, engineNames } from '../../../deploy/engines/engine.ts';
import { readState } from '../../../deploy/engines/engines-state.ts';
import { environmentOf } from '../../../deploy/engines/environment.ts';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { identifyProcess, isAlive, terminate } from '../../../deploy/provision/process-identity.ts';

export type { EngineName };

export type EngineControls = ReturnType<typeof engineControls>;

export type SystemEngines = Omit<EngineEndpoints, 'stripeMockUrl'>;

const END_WITHIN_MS = 15_000;

export function engineControls(dir: string) {
  const names = () => engineNames.filter((name) => readState(dir)[name] !== undefined);
  const runningOf = (name: EngineName) => {
    const identity = readState(dir)[name]?.process;
    return identity != null && isAlive(identity) ? identity : undefined;
  };
  const end = async (name: EngineName, signal: NodeJS.Signals) => {
    const identity = runningOf(name);
    if (identity !== undefined) await terminate(identity, signal, END_WITHIN_MS);
  };
  /** PostgreSQL gets the signal for immediate shutdown: SIGKILL would leave its children running. */
  const kill = (name: EngineName) => end(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  /** Parents first: a stopped process starts no more children. */
  const signalAll = (name: EngineName, signal: NodeJS.Signals) => {
    const pid = runningOf(name)?.pid;
    if (pid === undefined) throw new Error(`${name} does not run`);
    for (const each of [pid, ...childrenOf(pid)]) {
      if (identifyProcess(each) !== null) process.kill(each, signal);
    }
  };
  const start = async (only: readonly EngineName[]) => {
    await startEngines({ dir, only });
  };
  /** Includes stopped engines. */
  const endpoints = () =>
    Object.assign({}, ...Object.values(readState(dir)).map((record) => record.endpoints)) as SystemEngines;
  return {
    names,
    /** Undefined while it is not running. */
    pid: (name: EngineName) => runningOf(name)?.pid,
    endpoints,
    /** The variables that hold the endpoints' addresses. */
    environment: () => environmentOf(endpoints()),
    kill,
    /** It is suspended until thawed; its connections stay open. */
    freeze: (name: EngineName) => signalAll(name, 'SIGSTOP'),
    thaw: (name: EngineName) => signalAll(name, 'SIGCONT'),
    /** Stops it gracefully and keeps its data. Does nothing if it is not running. */
    stop: (name: EngineName) => end(name, 'SIGTERM'),
    /** Kills it if it runs, and deletes its data. */
    async wipe(name: EngineName) {
      await kill(name);
      // The folder itself belongs to the engine's account.
      const dataDir = readState(dir)[name]?.dataDir;
      if (dataDir === undefined) throw new Error(`${name} has never been started`);
      for (const entry of readdirSync(dataDir)) rmSync(join(dataDir, entry), { recursive: true });
    },
    /** Starts it on the same port, with the same secret and the remaining data. Resolves when it responds. */
    start: (name: EngineName) => start([name]),
    /** Starts those that are not running. */
    startAll: () => start(names()),
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): state and parent follow the name, which may contain spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
