/** `n8n start`: its server, which receives notifications, and the API of its pages. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '@audiosplit/chassis/testing/until';
import { freePort } from '../../deploy/provision/free-port.ts';

/** It takes ten seconds on an idle machine. */
const START_TIMEOUT_MS = 180_000;
const HEAP = '--max-old-space-size=1024';
const OWNER = {
  email: 'owner@example.com',
  firstName: 'The',
  lastName: 'Owner',
  password: 'Planted-password-1',
};

export interface RunningN8n extends AsyncDisposable {
  readonly url: string;
  /** Resolves with `data` of the response; rejects for any status other than 200. */
  // biome-ignore lint/suspicious/noExplicitAny: n8n does not describe this API.
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<any>;
}

interface Environment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function startN8n(
  [command, ...args]: readonly [string, ...string[]],
  { cwd, env }: Environment,
): Promise<RunningN8n> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(command, args, {
    cwd,
    env: {
      ...env,
      NODE_OPTIONS: HEAP,
      N8N_PORT: port,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_DISABLE_UI: 'true',
      N8N_DYNAMIC_BANNERS_ENABLED: 'false',
      // It requests a list from n8n.io.
      N8N_DISABLED_MODULES: 'mcp-registry',
      N8N_WEBHOOK_URL: `${url}/`,
      // No separate process for code in workflows, because there is none.
      N8N_RUNNERS_MODE: 'external',
      N8N_RUNNERS_AUTH_TOKEN: 'of a test',
      N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  let cookie = '';
  const running: RunningN8n = {
    url,
    async call(method, path, body) {
      const response = await fetch(`${url}/rest${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'browser-id': 'of a test', cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, `${method} ${path}: ${text}\n${output}`);
      cookie ||= response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      return JSON.parse(text).data;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
  await using starting = new AsyncDisposableStack();
  starting.use(running);
  const isReady = () => {
    assert.equal(child.exitCode, null, output);
    return output.includes('Editor is now accessible');
  };
  await until(isReady, 'n8n is ready', START_TIMEOUT_MS);
  await running.call('POST', '/owner/setup', OWNER);
  starting.move();
  return running;
}
