/** The product as a newcomer has it: `npm start` in a clone, seen from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/env';
import { newcomersEnvironment, PRODUCT_ROOT } from './environment.ts';

export interface ProductOptions {
  /** PORT is 0 unless it is set here. */
  readonly env?: Env;
  /** Kept when the product stops; by default a new one that goes with it. */
  readonly dataDir?: string;
  /** The launcher by default. */
  readonly command?: readonly [string, ...string[]];
}

export interface Product extends AsyncDisposable {
  readonly baseUrl: string;
  /** The key that was printed. */
  readonly apiKey: string;
  readonly dataDir: string;
  readonly output: () => Output;
  /** Of everything that was started, but for the database, which has one of its own. */
  readonly processGroup: number;
  /** To the process that was started, and to no other. */
  signal(signal: NodeJS.Signals): void;
  /** `kill -9` to the process group. */
  killHard(): Promise<void>;
  /** Settled once all processes that share its outputs have ended. */
  readonly exited: Promise<Exit>;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Exit extends Output {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The launcher without npm around it, which adds words of its own to a failure. */
export const LAUNCHER = ['node', 'deploy/local/start.mjs'] as const;
export const NPM_START = ['npm', 'start'] as const;
const LAST_WORDS_OF_START = 'Stop with Ctrl-C.';
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 15_000;

export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const child = spawnProduct(options.command ?? LAUNCHER, { ...options.env, DATA_DIR: dataDir });
  const { output, exited } = observe(child);
  const clear = async () => {
    child.kill('SIGTERM');
    // Whoever started it may be gone while the rest of the group goes on and keeps the outputs open.
    const forced = setTimeout(() => killGroup(child), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(forced);
    if (options.dataDir === undefined) await removeDataDir(dataDir);
  };
  try {
    await waitUntilReady(output, exited);
    const { stdout } = output();
    return {
      baseUrl: printed(stdout, /^ {2}API +(http:\S+)\/api\/v1$/m),
      apiKey: printed(stdout, /^ {2}Key +(\S+)/m),
      dataDir,
      output,
      exited,
      processGroup: child.pid ?? 0,
      signal: (signal) => void child.kill(signal),
      killHard: async () => {
        killGroup(child);
        await exited;
      },
      [Symbol.asyncDispose]: clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** Starts what is expected to give up by itself. */
export async function runProduct(env: Env): Promise<Exit> {
  const child = spawnProduct(LAUNCHER, env);
  const { exited } = observe(child);
  const forced = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(forced);
  }
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'audiosplit-acceptance-'));
}

/** With the database that may have been left behind in it by a kill. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const pid = await databasePid(dataDir);
  if (pid !== undefined) {
    process.kill(pid, 'SIGQUIT');
    await until(async () => !isAlive(pid), 10_000, 'the database that was left behind ends');
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

/** Undefined: none runs on this folder. */
export async function databasePid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n', 1)[0]);
  return pid > 1 && isAlive(pid) ? pid : undefined;
}

/** Asks every 100 ms. */
export async function until(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  what: string,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function spawnProduct([file, ...args]: readonly [string, ...string[]], env: Env): ChildProcess {
  return spawn(file, args, {
    cwd: PRODUCT_ROOT,
    env: newcomersEnvironment({ PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be killed at once.
    detached: true,
  });
}

function observe(child: ChildProcess): { output: () => Output; exited: Promise<Exit> } {
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
  return { output: () => ({ stdout, stderr }), exited };
}

async function waitUntilReady(output: () => Output, exited: Promise<Exit>): Promise<void> {
  let exit: Exit | undefined;
  void exited.then((value) => {
    exit = value;
  });
  await until(
    async () => {
      if (exit !== undefined) throw new Error(`it ended with ${exit.code}:\n${exit.stderr}${exit.stdout}`);
      return output().stdout.includes(LAST_WORDS_OF_START);
    },
    START_TIMEOUT_MS,
    'the product is ready',
  );
}

function printed(stdout: string, pattern: RegExp): string {
  const found = pattern.exec(stdout)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in what was printed:\n${stdout}`);
  return found;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
