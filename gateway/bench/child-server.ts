/** Runs a server in its own process, pinned to a core if the system can do that. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ModuleShare } from './profile.ts';
import type { Answer, Question } from './server-process.ts';
import type { ServerOptions } from './servers.ts';

export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  /** User and system time of the process so far. */
  cpuMs(): Promise<number>;
  /** CPU shares by module while `work` runs. */
  profile(work: () => Promise<unknown>): Promise<readonly ModuleShare[]>;
}

/** Measured servers get the first core, everything else the second. */
type Core = 'measured' | 'other';
const CORES: Record<Core, string> = { measured: '0', other: '1' };
/** Servers with a program of their own. All others are in servers.ts. */
const PROGRAMS: Readonly<Record<string, string>> = { jobs: '../../services/jobs/bench/jobs-server.ts' };
const NODE_FLAGS = ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'];

export async function startChildServer(
  kind: string,
  core: Core,
  options: ServerOptions = {},
): Promise<ChildServer> {
  const own = PROGRAMS[kind];
  const path = fileURLToPath(new URL(own ?? './server-process.ts', import.meta.url));
  const args = [...(own === undefined ? [kind] : []), JSON.stringify(options)];
  const command = [...pinTo(core), process.execPath, ...NODE_FLAGS, path, ...args];
  const [program = '', ...programArgs] = command;
  // The log is written and discarded: writing it is part of the work.
  const child = spawn(program, programArgs, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  const { url } = pick(await answer(child), 'url');
  const ask = (question: Question) => {
    child.send(question);
    return answer(child);
  };
  return {
    url,
    cpuMs: async () => pick(await ask('cpu'), 'cpuMs').cpuMs,
    async profile(work) {
      await ask('startProfile');
      await work();
      return pick(await ask('stopProfile'), 'shares').shares;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

export function pinTo(core: Core): string[] {
  return process.platform === 'linux' && availableParallelism() > 1 ? ['taskset', '-c', CORES[core]] : [];
}

async function answer(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController();
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a measured server ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exited]);
    return message as Answer;
  } finally {
    exited.catch(() => undefined);
    ended.abort();
  }
}

function pick<K extends string>(given: Answer, key: K): Extract<Answer, { readonly [P in K]: unknown }> {
  if (!(key in given)) throw new Error(`no ${key} in the answer of a measured server`);
  return given as Extract<Answer, { readonly [P in K]: unknown }>;
}
