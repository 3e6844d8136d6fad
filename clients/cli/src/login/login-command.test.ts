import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCaptured } from '../run-captured.fixture.ts';
import { readStoredServer, storePath } from './stored-login.ts';

const KEY = 'ask_live_right';
const server = createServer((request, response) => {
  const isRight = request.headers['x-api-key'] === KEY;
  response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
  const error = { code: 'UNAUTHORIZED', message: 'The API key is not valid.', status: 401 };
  response.end(JSON.stringify(isRight ? { data: [], pagination: {} } : { error }));
});

let home = '';
let url = '';
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'login-test-'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.close();
  await rm(home, { recursive: true });
});

async function login(args: readonly string[], input = '', folder = 'config') {
  const env = { XDG_CONFIG_HOME: join(home, folder) };
  return { env, ...(await runCaptured(['login', ...args], { env, workingDir: home, input })) };
}

test('a key that the server accepts is stored, readable for its owner only', async () => {
  const { code, env } = await login(['--server', url], `${KEY}\n`);
  assert.equal(code, 0);
  assert.deepEqual(await readStoredServer(env), { baseUrl: url, apiKey: KEY });
  assert.equal((await stat(storePath(env))).mode & 0o777, 0o600);
});

test('a key that the server rejects is not stored', async () => {
  const { code, env, stderr } = await login(['--server', url, '--key', 'wrong'], '', 'refused');
  assert.equal(code, 1);
  assert.match(stderr, /^UNAUTHORIZED: The API key is not valid\./);
  assert.equal(await readStoredServer(env), undefined);
});

test('a call without a server is explained, and exits with 2', async () => {
  const { code, stderr } = await login([]);
  assert.equal(code, 2);
  assert.match(stderr, /--server/);
});
