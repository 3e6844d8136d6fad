/** Shopify's toxiproxy in front of Kafka: slow, silent and resetting connections. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { messageOf } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { freePort } from '../../../../deploy/provision/free-port.ts';
import { ensureGoProgram } from '../../../../deploy/provision/go-program.ts';
import type { Task } from '../../../../deploy/provision/task.ts';
import { versions } from '../../../../deploy/provision/versions.ts';

/** One of toxiproxy's toxics with its attributes, in both directions. */
export type Toxic =
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number; readonly jitter: number } }
  | { readonly type: 'bandwidth'; readonly attributes: { readonly rate: number } }
  | { readonly type: 'reset_peer'; readonly attributes: { readonly timeout: number } };

const START_TIMEOUT_MS = 10_000;

export function ensureToxiproxy(task: Task): Promise<string> {
  return ensureGoProgram(
    {
      name: 'toxiproxy',
      package: 'github.com/Shopify/toxiproxy/v2/cmd/server',
      executable: 'server',
      version: versions.toxiproxy,
      minimumGo: versions.toxiproxyMinimumGo,
    },
    task,
  );
}

export async function startToxiproxy(command: string, logFile: string) {
  await using starting = new AsyncDisposableStack();
  const port = await freePort();
  const log = openSync(logFile, 'a', 0o600);
  // The shell's input closes whenever this process ends, and the shell then ends toxiproxy.
  const child = spawn(
    '/bin/sh',
    ['-c', '"$0" "$@" & read -r _; kill $!', command, '-host', '127.0.0.1', '-port', String(port)],
    { stdio: ['pipe', log, log], detached: true },
  );
  closeSync(log);
  const ended = once(child, 'exit');
  starting.defer(async () => {
    child.stdin?.end();
    await ended;
  });
  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body: JSON.stringify(body) ?? null,
      signal: AbortSignal.timeout(5_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`toxiproxy answered ${method} ${path} with ${response.status} ${text}`);
  };
  let failure: string | undefined;
  const answers = async () => {
    failure = await api('GET', '/version').then(() => undefined, messageOf);
    return failure === undefined;
  };
  await until(answers, 'toxiproxy answers', START_TIMEOUT_MS).catch(() => {
    throw new Error(`toxiproxy does not answer: ${failure}`);
  });
  const running = starting.move();
  return {
    addProxy: (name: string, listenPort: number, upstreamPort: number) =>
      api('POST', '/proxies', {
        name,
        listen: `127.0.0.1:${listenPort}`,
        upstream: `127.0.0.1:${upstreamPort}`,
        enabled: true,
      }),
    /** Resolves with a function that removes it. */
    async addToxic(proxy: string, toxic: Toxic) {
      const names = ['upstream', 'downstream'].map((stream) => ({ stream, name: `${toxic.type}-${stream}` }));
      for (const { stream, name } of names)
        await api('POST', `/proxies/${proxy}/toxics`, { ...toxic, name, stream, toxicity: 1 });
      return async () => {
        for (const { name } of names) await api('DELETE', `/proxies/${proxy}/toxics/${name}`);
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
