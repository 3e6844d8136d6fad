/** The record of a run, for `npm run down`, a start after a kill, and the acceptance suite. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isAlive, type ProcessIdentity, terminate } from '../provision/process-identity.ts';
import type { ManagedProcess } from './process/managed-process.ts';
import { killGroup } from './process/running-process.ts';

interface RunningState {
  readonly supervisor: ProcessIdentity;
  /** Undefined until everything has been ready once. */
  readonly baseUrl?: string;
  readonly rpcUrls?: Readonly<Record<string, string>>;
  readonly processes: readonly (ProcessIdentity & { readonly name: string })[];
  /** The last one, or the one in progress. */
  readonly rollingRestart?: RecordedRestart;
}

export interface RecordedRestart {
  /** Counts from 1, so that a client finds the restart that it requested. */
  readonly number: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly lines: readonly string[];
}

const FILE_NAME = 'processes.json';
/** No caller waits for leftover processes. */
const LEFT_BEHIND_GRACE_MS = 5_000;

export function readRunningState(dataDir: string): RunningState | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE_NAME), 'utf8')) as RunningState;
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically; synchronous, so that writes keep their order. */
export function writeRunningState(dataDir: string, state: RunningState): void {
  const path = join(dataDir, FILE_NAME);
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function forgetRunningState(dataDir: string): void {
  rmSync(join(dataDir, FILE_NAME), { force: true });
}

/**
 * Stores the record of the run that this process supervises. If this process exits without having stopped the
 * others, as on a second Ctrl-C, it kills them. Disposing removes the record.
 */
export function recordRun(dataDir: string) {
  const supervisor = identifyProcess(process.pid);
  if (supervisor === null) throw new Error('this process runs');
  const processes = new Map<string, RunningState['processes']>();
  let state: RunningState = { supervisor, processes: [] };
  const update = (change: Partial<RunningState>) => {
    state = { ...state, ...change };
    writeRunningState(dataDir, state);
  };
  const killAll = () => {
    for (const { pid } of state.processes) killGroup(pid);
  };
  update({});
  process.on('exit', killAll);
  return {
    update,
    updateProcess({ name, identities }: Pick<ManagedProcess, 'name' | 'identities'>) {
      const recorded = identities().map((identity) => ({ name, ...identity }));
      update({ processes: [...processes.set(name, recorded).values()].flat() });
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', killAll);
      forgetRunningState(dataDir);
    },
  };
}

/** Stops the processes of a supervisor that was killed; resolves with their names. */
export async function stopLeftBehind(dataDir: string): Promise<readonly string[]> {
  const left = (readRunningState(dataDir)?.processes ?? []).filter(isAlive);
  await Promise.all(left.map((each) => terminate(each, 'SIGTERM', LEFT_BEHIND_GRACE_MS)));
  return left.map(({ name }) => name);
}
