/** Programs of the product that read their secrets from files. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { testIdentityEnv } from '@audiosplit/chassis/testing/identities';
import { until } from '@audiosplit/chassis/testing/until';
import { repositoryRoot, sourceFlags } from '../launcher.mjs';
import { freePort } from '../provision/free-port.ts';
import { entryOf } from './process-plan.ts';

const SERVICES = ['auth', 'account', 'billing', 'jobs', 'splitter', 'webhooks'] as const;
const CALLED = ['auth', 'account', 'billing', 'jobs', 'webhooks'];

const program = (file: string, ...args: readonly string[]) => [
  ...sourceFlags,
  join(repositoryRoot, file),
  ...args,
];
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...SERVICES, 'gateway'].map((name) => [name, entryOf(name, 'source').args])),
  'migrations of jobs': entryOf('jobs', 'source').args,
  "the operators' console": program('gateway/src/operators/main.ts'),
  "the operators' commands": program('deploy/operations/main.ts', 'lag'),
};

function start(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

for (const [name, args] of Object.entries(PROGRAMS)) {
  test(`${name}: a file that cannot be read ends the start`, async () => {
    const migrate = name.startsWith('migrations') ? { MIGRATE: 'only' } : {};
    const child = start(args, {
      DATABASE_URL_FILE: '/nowhere',
      IDENTITY_PRIVATE_KEY_FILE: '/nowhere',
      ...migrate,
    });
    assert.ok(child.stderr !== null);
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.equal(code, 1);
    assert.match(
      said,
      /^[\w-]+: (DATABASE_URL|IDENTITY_PRIVATE_KEY)_FILE is "\/nowhere"; allowed: a file .*\n$/,
    );
  });
}

test('a gateway runs with secrets from files, and its environment contains none', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'secret-files-'));
  const secrets = { ...testIdentityEnv('gateway'), DOWNLOAD_SECRET: 'planted download secret, 32 bytes' };
  const port = await freePort();
  const files = Object.entries(secrets).map(([name, value]) => ({
    name,
    value,
    path: join(folder.path, name),
  }));
  for (const { path, value } of files) await writeFile(path, `${value}\n`);
  const child = start(entryOf('gateway', 'source').args, {
    ...Object.fromEntries(files.map(({ name, path }) => [`${name}_FILE`, path])),
    ...Object.fromEntries(CALLED.map((name) => [`${name.toUpperCase()}_RPC_URL`, 'http://127.0.0.1:1'])),
    HOST: '127.0.0.1',
    PORT: String(port),
    STORAGE_URL: `file://${folder.path}`,
  });
  try {
    await until(async () => {
      assert.equal(child.exitCode, null, 'it has ended');
      const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      return response?.status === 200;
    }, 'the gateway serves');
    if (process.platform !== 'linux') return;
    const environment = await readFile(`/proc/${child.pid}/environ`, 'utf8');
    assert.match(environment, /DOWNLOAD_SECRET_FILE=/);
    for (const { name, value } of files) assert.ok(!environment.includes(value), `it shows ${name}`);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});
