/**
 * One process under supervision: started, watched, started again with a back-off when it dies, stopped.
 *
 * It has a session of its own, so that Ctrl-C reaches the supervisor alone, which stops processes in order. It writes to
 * a file and not to a pipe, so that it outlives a supervisor that is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '@audiosplit/chassis/env';
import { messageOf } from '@audiosplit/chassis/errors';
import { identifyProcess, type ProcessIdentity } from '../engines/process-identity.ts';
import type { ProcessLog } from './process-log.ts';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly stopSignal: NodeJS.Signals;
  /** SIGKILL after this time. */
  readonly stopTimeoutMs: number;
  /** Rejects, with the reason, while it cannot serve. */
  readonly check: () => Promise<void>;
}

export type ProcessState =
  | { readonly kind: 'starting' | 'ready' | 'stopping' }
  | { readonly kind: 'failing'; readonly reason: string }
  | { readonly kind: 'dead'; readonly end: string; readonly restartInMs: number | undefined }
  | { readonly kind: 'stopped'; readonly end: string };

export interface ManagedProcess {
  readonly name: string;
  readonly log: ProcessLog;
  readonly state: () => ProcessState;
  /** Null while there is none. */
  readonly identity: () => ProcessIdentity | null;
  readonly restarts: () => number;
  /** Rejects when it ends before it has been ready once: at once without restarts, else when that repeats itself. */
  readonly firstReady: Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves once it is gone, with its exit code; null where a signal ended it or it had never begun. */
  stop(): Promise<number | null>;
}

export interface ManagedProcessOptions {
  readonly log: ProcessLog;
  readonly restart: boolean;
  readonly onChange: (process: ManagedProcess) => void;
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

const CHECK_EVERY_MS = { starting: 250, running: 1_000 } as const;
/** Who has lived this long has not died of its start. */
const HEALTHY_AFTER_MS = 60_000;
/** A database that is busy for a moment may cost a start; a wrong setting costs all of them. */
const MAX_FAILED_STARTS = 3;
const FIRST_RESTART_DELAY_MS = 500;
const LONGEST_RESTART_DELAY_MS = 30_000;

/** Doubles with every death in a row; `deaths` counts from 1. */
export function restartDelayMs(deaths: number): number {
  return Math.min(FIRST_RESTART_DELAY_MS * 2 ** (deaths - 1), LONGEST_RESTART_DELAY_MS);
}

export function startManagedProcess(spec: ProcessSpec, options: ManagedProcessOptions): ManagedProcess {
  const { log, onChange } = options;
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  firstReady.promise.catch(() => undefined);
  let state: ProcessState = { kind: 'starting' };
  let child: ChildProcess | undefined;
  let identity: ProcessIdentity | null = null;
  let restarts = 0;

  const become = (next: ProcessState) => {
    state = next;
    onChange(managed);
  };

  const runOnce = async (): Promise<End> => {
    const started = spawnTo(log, spec);
    child = started;
    identity = started.pid === undefined ? null : identifyProcess(started.pid);
    become({ kind: 'starting' });
    const over = new AbortController();
    const watching = watch(over.signal);
    const end = await endOf(started);
    over.abort();
    child = undefined;
    identity = null;
    await watching;
    return end;
  };

  const watch = async (over: AbortSignal) => {
    while (!over.aborted) {
      const problem = await spec.check().then(() => undefined, messageOf);
      if (over.aborted || stopping.signal.aborted) return;
      if (problem === undefined) {
        firstReady.resolve();
        if (state.kind !== 'ready') become({ kind: 'ready' });
      } else if (state.kind === 'ready') become({ kind: 'failing', reason: problem });
      const pauseMs = state.kind === 'ready' ? CHECK_EVERY_MS.running : CHECK_EVERY_MS.starting;
      await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
    }
  };

  const supervise = async (): Promise<End> => {
    for (let deaths = 0; ; restarts += 1) {
      const startedMs = performance.now();
      const end = await runOnce();
      const description = describeEnd(end);
      const isHopeless = !options.restart || stopping.signal.aborted || deaths + 1 >= MAX_FAILED_STARTS;
      if (isHopeless) firstReady.reject(new Error(`${spec.name} ${description} before it was ready`));
      if (stopping.signal.aborted) {
        become({ kind: 'stopped', end: description });
        return end;
      }
      deaths = performance.now() - startedMs > HEALTHY_AFTER_MS ? 1 : deaths + 1;
      const restartInMs = options.restart ? restartDelayMs(deaths) : undefined;
      become({ kind: 'dead', end: description, restartInMs });
      if (restartInMs === undefined) return end;
      await sleep(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return end;
    }
  };

  const managed: ManagedProcess = {
    name: spec.name,
    log,
    state: () => state,
    identity: () => identity,
    restarts: () => restarts,
    firstReady: firstReady.promise,
    signal: (signal) => void child?.kill(signal),
    async stop() {
      stopping.abort();
      const running = child;
      if (running !== undefined) {
        become({ kind: 'stopping' });
        running.kill(spec.stopSignal);
        // Whoever stands still cannot heed a signal.
        running.kill('SIGCONT');
      }
      const late = setTimeout(() => running?.kill('SIGKILL'), spec.stopTimeoutMs);
      const { code } = await supervised;
      clearTimeout(late);
      return code;
    },
  };
  const supervised = supervise();
  return managed;
}

export function describeState(state: ProcessState): string {
  switch (state.kind) {
    case 'starting':
    case 'ready':
    case 'stopping':
      return state.kind;
    case 'failing':
      return `not ready: ${state.reason}`;
    case 'stopped':
      return `stopped, ${state.end}`;
    case 'dead': {
      const next = state.restartInMs === undefined ? '' : `, again in ${state.restartInMs / 1_000} s`;
      return `${state.end}${next}`;
    }
    default:
      return state satisfies never;
  }
}

function spawnTo(log: ProcessLog, { command, args, env }: ProcessSpec): ChildProcess {
  const output = log.open();
  try {
    return spawn(command, args, { env: { ...env }, detached: true, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // Also told of a signal that could not be sent, which is no end.
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function describeEnd({ code, signal, error }: End): string {
  if (error !== undefined) return `cannot be started: ${error.message}`;
  return signal === null ? `ended with ${code}` : `killed by ${signal}`;
}
