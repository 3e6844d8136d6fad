/** A start of the product as a command: spawned, listened to, and waited for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@audiosplit/chassis/process/env';
import { newcomersEnvironment, PRODUCT_ROOT } from './environment.ts';
import { until } from './until.ts';

export type Command = readonly [string, ...string[]];

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Exit extends Output {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProductProcess {
  readonly child: ChildProcess;
  readonly output: () => Output;
  /** Settled once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
  /** `kill -9` to everything of its process group. */
  killGroup(): void;
}

const START_TIMEOUT_MS = 90_000;

export function spawnProduct([file, ...args]: Command, env: Env): ProductProcess {
  const child = spawn(file, args, {
    cwd: PRODUCT_ROOT,
    env: newcomersEnvironment({ PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be killed at once.
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close').then((result): Exit => {
    const [code, signal] = result as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout, stderr };
  });
  return { child, output: () => ({ stdout, stderr }), exited, killGroup: () => killGroup(child.pid) };
}

/** Runs what is expected to end by itself. */
export async function runToExit(command: Command, env: Env): Promise<Exit> {
  const { child, exited } = spawnProduct(command, env);
  const forced = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(forced);
  }
}

/** Until the last words of a start; throws where it ends before. */
export async function waitUntilReady({ output, exited }: ProductProcess): Promise<void> {
  let exit: Exit | undefined;
  void exited.then((value) => {
    exit = value;
  });
  await until(
    async () => {
      if (exit !== undefined) throw new Error(`it ended with ${exit.code}:\n${exit.stderr}${exit.stdout}`);
      return output().stdout.includes('Stop with Ctrl-C.');
    },
    START_TIMEOUT_MS,
    'the product is ready',
  );
}

export interface PrintedFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export function readPrintedFacts(stdout: string): PrintedFacts {
  return {
    baseUrl: printed(stdout, /^ {2}API +(http:\S+)\/api\/v1$/m),
    apiKey: printed(stdout, /^ {2}Key +(\S+)/m),
  };
}

function printed(stdout: string, pattern: RegExp): string {
  const found = pattern.exec(stdout)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in what was printed:\n${stdout}`);
  return found;
}

export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
