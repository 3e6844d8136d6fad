/**
 * A process of the installation: what runs in its name, and what ends with it. Killing it forgets everything that it
 * had in memory: its events never happen, its promises are never settled.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface SimulatedProcess {
  readonly name: string;
  isAlive(): boolean;
  /** Called when it is killed; returns how to take that back. */
  onDeath(action: () => void): () => void;
  kill(): void;
  /** Nothing happens in it before then; what is due meanwhile happens late. */
  freezeUntil(ms: number): void;
  frozenUntilMs(): number;
  /** How far its clock is ahead. */
  readonly clockSkewMs: number;
  run<T>(work: () => T): T;
}

const storage = new AsyncLocalStorage<SimulatedProcess | undefined>();
/** Nothing that a caller keeps in its async context (a deadline, a key) goes with a message from process to process. */
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
