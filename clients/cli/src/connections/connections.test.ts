import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type FakeApi, startFakeApi } from '../fake-api.fixture.ts';
import { runCaptured } from '../run-captured.fixture.ts';

const SECRET = 'a-secret-that-is-never-shown';
const CONNECTION = {
  id: 'con_1',
  name: 'archive',
  type: 's3',
  endpoint: 'https://s3.example.org',
  region: 'us-east-1',
  bucket: 'audio',
  prefix: 'incoming/',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  createdAt: '2027-03-14T09:30:00.000Z',
};
const ADD = ['add', 'archive', '--bucket', 'audio', '--access-key-id', CONNECTION.accessKeyId];

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
  api.answers['GET /api/v1/connections'] = { data: [CONNECTION] };
  api.answers['POST /api/v1/connections'] = CONNECTION;
});
afterEach(() => api[Symbol.asyncDispose]());

const withKey = (...args: readonly string[]) => [
  'connections',
  ...args,
  ...['--server', api.url, '--key', 'ask_1'],
];
const connections = (...args: readonly string[]) => api.run(...withKey(...args));
const bodies = () => api.seen.map(({ body }) => body).filter((body) => body !== undefined);

test('list shows name, id, folder and store, and says if there are none', async () => {
  const { code, stdout } = await connections('list');
  assert.equal(code, 0);
  assert.equal(stdout, 'archive  con_1  s3://audio/incoming/  https://s3.example.org\n');
  assert.deepEqual(JSON.parse((await connections('list', '--json')).stdout), CONNECTION);
  api.answers['GET /api/v1/connections'] = { data: [] };
  assert.equal((await connections('list')).stdout, 'no connections\n');
});

test('add reads the secret from the environment, or from standard input without the line break', async () => {
  api.env.S3_SECRET_ACCESS_KEY = SECRET;
  const { code, stdout, stderr } = await connections(...ADD);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'archive is connected: audiosplit connections test archive\n');
  const body = {
    name: 'archive',
    type: 's3',
    region: 'us-east-1',
    bucket: 'audio',
    accessKeyId: CONNECTION.accessKeyId,
    secretAccessKey: SECRET,
  };
  assert.deepEqual(bodies(), [body]);

  const { S3_SECRET_ACCESS_KEY: _, ...env } = api.env;
  const more = ['--endpoint', 'https://s3.example.org', '--region', 'eu-1', '--prefix', 'incoming/'];
  const piped = await runCaptured(withKey(...ADD, ...more), {
    env,
    workingDir: api.folder,
    input: `${SECRET}\n`,
  });
  assert.equal(piped.code, 0, piped.stderr);
  assert.deepEqual(bodies()[1], {
    ...body,
    endpoint: 'https://s3.example.org',
    region: 'eu-1',
    prefix: 'incoming/',
  });
});

test('the secret is not an argument, and no output contains it', async () => {
  api.env.S3_SECRET_ACCESS_KEY = SECRET;
  const refused = await connections(...ADD, '--secret-access-key', SECRET);
  assert.equal(refused.code, 2);
  assert.deepEqual(bodies(), []);
  for (const args of [ADD, [...ADD, '--json'], ['list'], ['--help']]) {
    const { stdout, stderr } = await connections(...args);
    assert.doesNotMatch(stdout + stderr, /a-secret/);
  }
  assert.doesNotMatch((await api.run('connections', '--help')).stdout, /--secret/);
});

test('add names what is missing', async () => {
  api.env.S3_SECRET_ACCESS_KEY = SECRET;
  assert.match((await connections('add', 'archive')).stderr, /--bucket BUCKET/);
  assert.match((await connections('add', 'archive', '--bucket', 'audio')).stderr, /S3_ACCESS_KEY_ID/);
  api.env.S3_ACCESS_KEY_ID = 'AKIA';
  assert.equal((await connections('add', 'archive', '--bucket', 'audio')).code, 0);
  api.env.S3_SECRET_ACCESS_KEY = '';
  const { code, stderr } = await connections(...ADD);
  assert.equal(code, 2);
  assert.match(stderr, /^the secret of the key is empty[^\n]+\n$/);
  assert.equal(bodies().length, 1);
});

test('test shows the message of the store, and exits with 1 if something fails', async () => {
  const message = 'The store answered 403 AccessDenied Access Denied.';
  const read = { action: 'read', ok: true };
  api.answers['POST /api/v1/connections/con_1/test'] = { ok: true, checks: [read] };
  const works = await connections('test', 'archive');
  assert.deepEqual([works.code, works.stdout], [0, 'read  works\n']);
  const checks = [read, { action: 'write', ok: false, message }];
  api.answers['POST /api/v1/connections/con_1/test'] = { ok: false, checks };
  for (const named of ['archive', 'con_1']) {
    const { code, stdout, stderr } = await connections('test', named);
    assert.equal(code, 1);
    assert.equal(stdout, `read   works\nwrite  ${message}\n`);
    assert.match(stderr, /^\w+ does not work as it should\n$/);
  }
});

test('remove accepts a name or an id, and reports an unknown name', async () => {
  api.answers['DELETE /api/v1/connections/con_1'] = (_request, response) =>
    void response.writeHead(204).end();
  assert.equal((await connections('remove', 'archive')).stdout, 'archive is removed\n');
  assert.equal((await connections('remove', 'con_1')).stdout, 'con_1 is removed\n');
  const { code, stderr } = await connections('remove', 'elsewhere');
  assert.equal(code, 2);
  assert.equal(stderr, 'there is no connection elsewhere: audiosplit connections list\n');
});

test('the session is used if there is one, otherwise a key', async () => {
  await connections('list');
  assert.equal(api.seen[0]?.headers['x-api-key'], 'ask_1');
  api.answers['POST /api/v1/auth/login'] = {
    accessToken: 'access 1',
    refreshToken: 'refresh 1',
    expiresIn: 900,
  };
  api.env.AUDIOSPLIT_PASSWORD = 'secret';
  await api.run('login', '--server', api.url, '--email', 'ada@example.com');
  await connections('list');
  assert.equal(api.seen.at(-1)?.headers.authorization, 'Bearer access 1');
});
