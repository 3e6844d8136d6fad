/**
 * One supervised process: started, watched, restarted with a back-off when it dies, replaced, stopped.
 *
 * It has a session of its own, so that Ctrl-C reaches only the supervisor, which stops processes in order. It
 * writes to a file and not to a pipe, so that it survives a supervisor that is killed.
 *
 * A replaceable process has a second port. Its successor starts there. Once the successor is ready and the
 * balancer has noticed, the predecessor is stopped, so that one of them serves at every moment. A successor
 * that does not become ready is stopped, and the predecessor continues.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { ProcessIdentity } from '../../provision/process-identity.ts';
import type { ProcessLog } from './process-log.ts';
import {
  describeEnd,
  type End,
  endProgram,
  type Program,
  type RunningProcess,
  runProgram,
  untilServing,
} from './running-process.ts';

/** The variables that set a process's port, and the readiness check there. */
export type ProcessPlace = Pick<Program, 'env' | 'check'>;

export interface ProcessSpec extends Program {
  readonly name: string;
  /** For the successor, with `env` over the first's; absent: the process cannot be replaced. */
  readonly spare?: ProcessPlace;
  readonly stopSignal: NodeJS.Signals;
  readonly stopTimeoutMs: number;
}

export type ProcessState =
  | { readonly kind: 'starting' | 'ready' | 'replacing' | 'stopping' }
  | { readonly kind: 'failing'; readonly reason: string }
  | { readonly kind: 'dead'; readonly end: string; readonly restartInMs: number | undefined }
  | { readonly kind: 'stopped'; readonly end: string };

export interface Replacement {
  /** Resolves with the predecessor's exit code once it has ended; null where a signal ended it. */
  readonly left: Promise<number | null>;
}

export interface ManagedProcess {
  readonly name: string;
  readonly log: ProcessLog;
  readonly state: () => ProcessState;
  readonly identity: () => ProcessIdentity | null;
  /** Includes a successor that is starting and a predecessor that is stopping. */
  readonly identities: () => readonly ProcessIdentity[];
  readonly restarts: () => number;
  /** Rejects if it ends before it has been ready once; with restarts, after MAX_FAILED_STARTS. */
  readonly firstReady: Promise<void>;
  readonly isReplaceable: boolean;
  signal(signal: NodeJS.Signals): void;
  /**
   * Resolves once the successor is ready and the predecessor has received SIGTERM. Rejects if the predecessor
   * stays.
   */
  replace(): Promise<Replacement>;
  /** Resolves with its exit code once it has ended; null if a signal ended it or it was not running. */
  stop(): Promise<number | null>;
}

const CHECK_EVERY_MS = { starting: 250, running: 1_000 } as const;
/** A process that ran for this long did not die because of its start. */
const HEALTHY_AFTER_MS = 60_000;
/** A temporarily busy database can make one start fail; a wrong setting makes all fail. */
const MAX_FAILED_STARTS = 3;
const FIRST_RESTART_DELAY_MS = 500;
const LONGEST_RESTART_DELAY_MS = 30_000;
const REPLACE_TIMEOUT_MS = 90_000;
/**
 * Between a successor's readiness and its predecessor's SIGTERM. HAProxy checks health every 500 ms. Without this delay
 * it can mark the old process down before the new one up.
 */
const HANDOVER_MS = 1_500;

/** Doubles with every consecutive death; `deaths` counts from 1. */
export function restartDelayMs(deaths: number): number {
  return Math.min(FIRST_RESTART_DELAY_MS * 2 ** (deaths - 1), LONGEST_RESTART_DELAY_MS);
}

export function startManagedProcess(
  spec: ProcessSpec,
  options: {
    readonly log: ProcessLog;
    readonly restart: boolean;
    readonly onChange: (process: ManagedProcess) => void;
  },
): ManagedProcess {
  const { log, onChange } = options;
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  firstReady.promise.catch(() => undefined);
  const alive = new Set<RunningProcess>();
  let state: ProcessState = { kind: 'starting' };
  let isInSpare = false;
  let current: RunningProcess | undefined;
  let replacing: Promise<Replacement> | undefined;
  let leaving: Promise<unknown> = Promise.resolve();
  let restarts = 0;

  const become = (next: ProcessState) => {
    state = next;
    onChange(managed);
  };

  const run = (inSpare: boolean): RunningProcess => {
    const { env, check } = (inSpare ? spec.spare : undefined) ?? spec;
    const started = runProgram(log, { ...spec, env: { ...spec.env, ...env }, check });
    alive.add(started);
    void started.end.then(() => alive.delete(started));
    return started;
  };

  const watch = async ({ check, over }: RunningProcess) => {
    while (!over.aborted) {
      const problem = await check().then(() => undefined, messageOf);
      if (over.aborted || stopping.signal.aborted) return;
      if (problem === undefined) {
        firstReady.resolve();
        if (state.kind !== 'ready' && state.kind !== 'replacing') become({ kind: 'ready' });
      } else if (state.kind === 'ready') become({ kind: 'failing', reason: problem });
      const pauseMs = state.kind === 'ready' ? CHECK_EVERY_MS.running : CHECK_EVERY_MS.starting;
      await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
    }
  };

  const takeOver = (running: RunningProcess) => {
    current = running;
    void watch(running);
  };

  /** The end of the process that is then current: the end of a replaced predecessor does not count. */
  const endOfCurrent = async (running: RunningProcess): Promise<End> => {
    for (let awaited = running; ; awaited = current ?? awaited) {
      const end = await awaited.end;
      await replacing?.catch(() => undefined);
      if (awaited === current) {
        current = undefined;
        return end;
      }
    }
  };

  const supervise = async (): Promise<End> => {
    for (let deaths = 0; ; restarts += 1) {
      const startedMs = performance.now();
      const running = run(isInSpare);
      become({ kind: 'starting' });
      takeOver(running);
      const end = await endOfCurrent(running);
      const description = describeEnd(end);
      const isFinal = !options.restart || stopping.signal.aborted || deaths + 1 >= MAX_FAILED_STARTS;
      if (isFinal) firstReady.reject(new Error(`${spec.name} ${description} before it was ready`));
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

  const replace = async (): Promise<Replacement> => {
    const predecessor = current;
    if (spec.spare === undefined) throw new Error(`${spec.name} has no second port`);
    if (predecessor === undefined) throw new Error(`${spec.name} does not run: ${describeState(state)}`);
    const successor = run(!isInSpare);
    become({ kind: 'replacing' });
    try {
      await untilServing(successor, REPLACE_TIMEOUT_MS, stopping.signal);
      await sleep(HANDOVER_MS, undefined, { signal: stopping.signal });
      // It may have ended at its first request.
      await untilServing(successor, REPLACE_TIMEOUT_MS, stopping.signal);
    } catch (error) {
      await endProgram(successor, spec.stopSignal, spec.stopTimeoutMs);
      // The predecessor's own watch updates this state.
      if (!stopping.signal.aborted) become({ kind: 'starting' });
      throw new Error(`${spec.name} is not replaced: ${messageOf(error)}`, { cause: error });
    }
    isInSpare = !isInSpare;
    predecessor.leave();
    takeOver(successor);
    become({ kind: 'ready' });
    const left = endProgram(predecessor, 'SIGTERM', spec.stopTimeoutMs);
    leaving = left.then(() => onChange(managed));
    return { left: left.then(({ code }) => code) };
  };

  const managed: ManagedProcess = {
    name: spec.name,
    log,
    state: () => state,
    identity: () => current?.identity ?? null,
    identities: () => [...alive].flatMap(({ identity }) => identity ?? []),
    restarts: () => restarts,
    firstReady: firstReady.promise,
    isReplaceable: spec.spare !== undefined,
    signal: (signal) => current?.signal(signal),
    async replace() {
      if (replacing !== undefined) throw new Error(`${spec.name} is being replaced already`);
      replacing = replace().finally(() => {
        replacing = undefined;
      });
      return await replacing;
    },
    async stop() {
      stopping.abort(new Error(`${spec.name} is to stop`));
      await replacing?.catch(() => undefined);
      const running = current;
      if (running !== undefined) {
        become({ kind: 'stopping' });
        void endProgram(running, spec.stopSignal, spec.stopTimeoutMs);
      }
      const { code } = await supervised;
      await leaving;
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
    case 'replacing':
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
