/**
 * A process of the installation: the code that runs in it, and what ends with it. Killing it loses its
 * memory: its events never happen, and its promises never settle.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface SimulatedProcess {
  readonly name: string;
  isAlive(): boolean;
  /** Called when the process is killed; returns a function that removes the callback. */
  onDeath(action: () => void): () => void;
  kill(): void;
  /** Nothing happens in the process before then; events due meanwhile happen late. */
  freezeUntil(ms: number): void;
  frozenUntilMs(): number;
  /** How far its clock is ahead. */
  readonly clockSkewMs: number;
  run<T>(work: () => T): T;
}

const storage = new AsyncLocalStorage<SimulatedProcess | undefined>();
/**
 * No value of a caller's async context (a deadline, a key) is passed with a message from process to process.
 */
const outside = AsyncLocalStorage.snapshot();

export function currentProcess(): SimulatedProcess | undefined {
  return storage.getStore();
}

export function createProcess(name: string, clockSkewMs = 0): SimulatedProcess {
  const actions = new Set<() => void>();
  let alive = true;
  let frozenUntilMs = 0;
  const process: SimulatedProcess = {
    name,
    isAlive: () => alive,
    onDeath(action) {
      actions.add(action);
      return () => actions.delete(action);
    },
    kill() {
      if (!alive) return;
      alive = false;
      for (const action of actions) outside(action);
    },
    freezeUntil(ms) {
      frozenUntilMs = ms;
    },
    frozenUntilMs: () => frozenUntilMs,
    clockSkewMs,
    run: (work) => outside(() => storage.run(process, work)),
  };
  return process;
}
