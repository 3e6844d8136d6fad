/** A process from its start to its end, without restarts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Env } from '@audiosplit/chassis/process/env';
import { identifyProcess } from '../../provision/process-identity.ts';
import type { ProcessLog } from './process-log.ts';

/** A program and its readiness check, which rejects with the reason while the program cannot serve. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly check: () => Promise<void>;
}

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

export type RunningProcess = ReturnType<typeof runProgram>;

const CHECK_EVERY_MS = 250;

/** Closes `output`, which the child has inherited, even if spawn throws. */
function startChild({ command, args, env }: Program, output: number) {
  try {
    return spawn(command, args, { env: { ...env }, detached: true, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

export function runProgram(log: ProcessLog, program: Program) {
  const output = log.open();
  const child = startChild(program, output);
  const over = new AbortController();
  const end = endOf(child);
  void end.then(() => over.abort());
  return {
    check: program.check,
    /** Null if it could not be started. */
    identity: child.pid === undefined ? null : identifyProcess(child.pid),
    end,
    /** Aborted when it has ended or is no longer watched. */
    over: over.signal,
    leave: () => over.abort(),
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}

/** Resolves at the first successful check; rejects with the reason of the last one, the process's end, or the signal's reason. */
export async function untilServing(
  running: RunningProcess,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const pauseEnds = AbortSignal.any([running.over, signal]);
  for (;;) {
    const problem = await running.check().then(() => undefined, messageOf);
    signal.throwIfAborted();
    if (running.over.aborted) throw new Error(describeEnd(await running.end));
    if (problem === undefined) return;
    if (performance.now() > deadlineMs)
      throw new Error(`not ready within ${timeoutMs / 1_000} s: ${problem}`);
    await sleep(CHECK_EVERY_MS, undefined, { signal: pauseEnds }).catch(() => undefined);
  }
}

/** Sends the signal, and SIGKILL if the process is still running after `timeoutMs`. */
export async function endProgram(
  running: RunningProcess,
  signal: NodeJS.Signals,
  timeoutMs: number,
): Promise<End> {
  running.signal(signal);
  // A frozen process handles no signal.
  running.signal('SIGCONT');
  const late = setTimeout(() => running.signal('SIGKILL'), timeoutMs);
  const end = await running.end;
  clearTimeout(late);
  return end;
}

export function describeEnd({ code, signal, error }: End): string {
  if (error !== undefined) return `cannot be started: ${error.message}`;
  return signal === null ? `ended with ${code}` : `killed by ${signal}`;
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // This event is also emitted for a signal that could not be sent.
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Sends SIGKILL to a process and those that it has started, such as ffmpeg, which share its group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
