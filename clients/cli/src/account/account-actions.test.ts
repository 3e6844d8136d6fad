import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type FakeApi, startFakeApi } from '../fake-api.fixture.ts';
import { readStoredLogin } from '../login/stored-login.ts';

const session = (n: number, expiresIn = 900) => ({
  accessToken: `access ${n}`,
  refreshToken: `refresh ${n}`,
  expiresIn,
});
const KEY = { id: 'key_1', name: 'laptop', keyPreview: 'ask_…9', scopes: ['splits:read'], lastUsedAt: null };

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
  api.env.AUDIOSPLIT_PASSWORD = 'secret';
  api.answers['GET /api/v1/api-keys'] = { data: [KEY], pagination: { page: 1, totalPages: 1 } };
});
afterEach(() => api[Symbol.asyncDispose]());

async function signIn(answer: object = session(1)): Promise<void> {
  api.answers['POST /api/v1/auth/login'] = answer;
  const { code, stderr } = await api.run('login', '--server', api.url, '--email', 'ada@example.com');
  assert.equal(code, 0, stderr);
}
const tokens = () => api.seen.map(({ headers }) => headers.authorization).filter(Boolean);

test('account commands need a session, and explain how to get one', async () => {
  const { code, stderr } = await api.run('keys', 'list', '--server', api.url, '--key', 'ask_1');
  assert.equal(code, 2);
  assert.match(stderr, /^this needs the account: audiosplit login --server .* --email ADDRESS\n$/);
});

test('keys are listed, created, rotated and revoked with the session', async () => {
  await signIn();
  assert.deepEqual(api.seen[0]?.body, { email: 'ada@example.com', password: 'secret' });
  assert.match(
    (await api.run('keys', 'list')).stdout,
    /^key_1 {2}ask_…9 {2}never used {2}splits:read {2}laptop\n$/,
  );
  api.answers['POST /api/v1/api-keys'] = { ...KEY, key: 'ask_live_new' };
  assert.equal((await api.run('keys', 'create', 'laptop')).stdout, 'ask_live_new\n');
  assert.deepEqual(api.seen.at(-1)?.body, { name: 'laptop', scopes: ['splits:read', 'splits:write'] });
  api.answers['POST /api/v1/api-keys/key_1/rotate'] = { ...KEY, key: 'ask_live_newer' };
  assert.equal((await api.run('keys', 'rotate', 'key_1')).stdout, 'ask_live_newer\n');
  api.answers['DELETE /api/v1/api-keys/key_1'] = (_request, response) => void response.writeHead(204).end();
  assert.equal((await api.run('keys', 'revoke', 'key_1')).stdout, 'key_1 is revoked\n');
  assert.deepEqual(new Set(tokens()), new Set(['Bearer access 1']));
  assert.equal((await api.run('keys', 'create', 'x', '--scopes', 'all')).code, 2);
});

test('an expired session is renewed and stored', async () => {
  await signIn(session(1, 10));
  api.answers['POST /api/v1/auth/refresh'] = session(2);
  assert.equal((await api.run('keys', 'list')).code, 0);
  assert.equal((await api.run('keys', 'list')).code, 0);
  assert.deepEqual(tokens(), ['Bearer access 2', 'Bearer access 2']);
  assert.equal(api.seen.filter(({ endpoint }) => endpoint.endsWith('/refresh')).length, 1);
});

test('a key is stored beside the session of the same server', async () => {
  await signIn();
  api.answers['GET /api/v1/splits'] = { data: [], pagination: {} };
  assert.equal((await api.run('login', '--server', api.url, '--key', 'ask_1')).code, 0);
  const { apiKey, session: stored } = (await readStoredLogin(api.env)) ?? {};
  assert.deepEqual([apiKey, stored?.accessToken], ['ask_1', 'access 1']);
});

test('usage shows the current period in words', async () => {
  await signIn();
  api.answers['GET /api/v1/billing/usage'] = {
    period: { start: '2027-03-01', end: '2027-04-01' },
    usage: {
      minutesProcessed: 70,
      minutesIncluded: 60,
      minutesOverage: 10,
      jobsCompleted: 4,
      jobsFailed: 3,
      jobsCanceled: 2,
      storageUsedBytes: 1_500_000,
    },
    cost: { basePlan: 900, overage: 50, total: 950, currency: 'usd' },
  };
  const { stdout } = await api.run('usage');
  assert.match(
    stdout,
    /minutes {2}70 of 60, 10 beyond\n.*4 completed, 1 failed, 2 canceled\n.*1\.50 MB\n.*9\.50 usd\n$/s,
  );
});
