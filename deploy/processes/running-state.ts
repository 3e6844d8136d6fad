/** What is remembered of a run, for whoever comes next: `npm run down`, a start after a kill, the acceptance suite. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, terminate } from '../provision/process-identity.ts';

export interface RunningState {
  readonly supervisor: ProcessIdentity;
  /** Undefined until everything has been ready once. */
  readonly baseUrl?: string;
  /** Where each service answers RPC, by its name. */
  readonly rpcUrls?: Readonly<Record<string, string>>;
  readonly processes: readonly RecordedProcess[];
  /** The last one, or the one under way. */
  readonly rollingRestart?: RecordedRestart;
}

export interface RecordedRestart {
  /** Counts from 1, so that whoever asks for one knows its own. */
  readonly number: number;
  readonly state: 'running' | 'done' | 'failed';
  /** What there was to tell. */
  readonly lines: readonly string[];
}

export interface RecordedProcess extends ProcessIdentity {
  readonly name: string;
}

const FILE_NAME = 'processes.json';
/** Those left behind have no caller any more who waits for them. */
const LEFT_BEHIND_GRACE_MS = 5_000;

export function readRunningState(dataDir: string): RunningState | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE_NAME), 'utf8')) as RunningState;
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step; synchronous, so that writes keep their order. */
export function writeRunningState(dataDir: string, state: RunningState): void {
  const path = join(dataDir, FILE_NAME);
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function forgetRunningState(dataDir: string): void {
  rmSync(join(dataDir, FILE_NAME), { force: true });
}

/** Stops what a supervisor that was killed has left running; resolves with the names. */
export async function stopLeftBehind(dataDir: string): Promise<readonly string[]> {
  const left = (readRunningState(dataDir)?.processes ?? []).filter(isAlive);
  await Promise.all(left.map((each) => terminate(each, 'SIGTERM', LEFT_BEHIND_GRACE_MS)));
  return left.map(({ name }) => name);
}
