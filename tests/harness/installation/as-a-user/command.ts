/**
 * Runs commands as a user types them: in the folder under test, and without the variables that npm and the
 * test runner add to the environment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@audiosplit/chassis/process/env';
import { newcomersEnvironment, PRODUCT_ROOT } from './environment.ts';

export type Command = readonly [string, ...string[]];

export interface CommandOptions {
  /** The folder under test by default. */
  readonly cwd?: string;
  readonly env?: Env;
  readonly stdin?: string | Uint8Array;
  /** In its own process group, so that the whole group can be killed at once. */
  readonly detached?: boolean;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Exit extends Output {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly output: () => Output;
  /** Settles once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
}

export function startCommand([file, ...args]: Command, options: CommandOptions = {}): RunningCommand {
  const { cwd = PRODUCT_ROOT, env, stdin = '', detached = false } = options;
  const child = spawn(file, args, { cwd, env: newcomersEnvironment(env), detached });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const exited = once(child, 'close').then((result): Exit => {
    const [code, signal] = result as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout, stderr };
  });
  return { child, output: () => ({ stdout, stderr }), exited };
}

export function runCommand(command: Command, options?: CommandOptions): Promise<Exit> {
  return startCommand(command, options).exited;
}
