import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type FakeApi, startFakeApi } from '../fake-api.fixture.ts';

const BYTES = Buffer.from('as if it were sound, and long');
const row = (id: string, fields: object = {}) => ({
  id,
  status: 'completed',
  splitMode: 'parts',
  parts: 2,
  segmentCount: 2,
  createdAt: '2027-03-14T09:30:00.000Z',
  completedAt: '2027-03-14T09:30:01.000Z',
  sourceFileName: `${id}.mp3`,
  ...fields,
});

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api[Symbol.asyncDispose]());
const jobs = (...args: readonly string[]) => api.run('jobs', ...args, '--server', api.url, '--key', 'ask_1');

function serveJob(fields: object = {}) {
  const segment = {
    index: 0,
    startTime: 0,
    endTime: 1,
    duration: 1,
    fileName: 'a-0.mp3',
    size: BYTES.length,
    downloadUrl: `${api.url}/downloads/0`,
  };
  const job = { ...row('job_1'), sourceUrl: 'https://example.com/a.mp3', segments: [segment], ...fields };
  api.answers['GET /api/v1/splits/job_1'] = job;
  api.answers['GET /api/v1/splits/job_1/events'] = (_request, response) => void response.writeHead(204).end();
  return job;
}

test('list shows the newest jobs, one per line, or as JSON', async () => {
  const failed = row('job_2', { status: 'failed', segmentCount: null, error: { code: 'NO_SOUND' } });
  const data = [row('job_1'), failed];
  api.answers['GET /api/v1/splits'] = { data, pagination: { page: 1, totalPages: 1 } };
  const { code, stdout } = await jobs('list');
  assert.equal(code, 0);
  assert.match(stdout, /^job_1 {2}completed .* 2 segments {2}job_1\.mp3\njob_2 {2}failed .* NO_SOUND .*\n$/);
  const lines = (await jobs('list', '--json', '--limit', '1')).stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [data[0]],
  );
  assert.equal(api.seen[0]?.headers['x-api-key'], 'ask_1');
});

test('show, cancel and delete act on the given job', async () => {
  const job = serveJob();
  api.answers['POST /api/v1/splits/job_1/cancel'] = job;
  api.answers['DELETE /api/v1/splits/job_1'] = (_request, response) => void response.writeHead(204).end();
  assert.deepEqual(JSON.parse((await jobs('show', 'job_1')).stdout), job);
  assert.equal((await jobs('cancel', 'job_1')).stdout, 'job_1 is canceled\n');
  assert.equal((await jobs('delete', 'job_1')).stdout, 'job_1 is deleted\n');
});

test('wait exits with 1 and the code if the job fails', async () => {
  serveJob({ status: 'failed', error: { code: 'NO_SOUND', message: 'It is silent.' } });
  const { code, stderr } = await jobs('wait', 'job_1');
  assert.equal(code, 1);
  assert.equal(stderr, 'NO_SOUND: It is silent.\n');
});

test('download writes the segments and a manifest with the request', async () => {
  serveJob();
  api.answers['GET /downloads/0'] = (_request, response) => void response.end(BYTES);
  const { code, stderr } = await jobs('download', 'job_1', '--out', 'parts');
  assert.equal(code, 0, stderr);
  const folder = join(api.folder, 'parts');
  assert.deepEqual((await readdir(folder)).sort(), ['a-0.mp3', 'manifest.json']);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  assert.deepEqual(manifest.request, { splitMode: 'parts', parts: 2 });
  assert.equal(manifest.segments[0].sha256, createHash('sha256').update(BYTES).digest('hex'));
});

test('download shows where segments are that exist only in a bucket, and creates no folder', async () => {
  serveJob({ destination: { connection: 'archive' }, keepCopy: false });
  const { code, stderr } = await jobs('download', 'job_1', '--out', 'parts');
  assert.equal(code, 2);
  assert.equal(
    stderr,
    'the segments of job_1 lie in a bucket alone: audiosplit jobs show job_1 says where\n',
  );
  assert.deepEqual(
    (await readdir(api.folder)).filter((name) => name === 'parts'),
    [],
  );
});

test('an interrupted download is kept and resumed', async () => {
  serveJob();
  const ranges: (string | undefined)[] = [];
  api.answers['GET /downloads/0'] = ({ headers }, response) => {
    ranges.push(headers.range);
    // The link expires before the rest has arrived.
    if (headers.range !== undefined) return void response.writeHead(410).end();
    response.writeHead(200, { 'content-length': BYTES.length });
    response.write(BYTES.subarray(0, 10), () => setTimeout(() => response.destroy(), 20));
  };
  assert.equal((await jobs('download', 'job_1', '--out', 'parts')).code, 1);
  assert.deepEqual(await readdir(join(api.folder, 'parts')), ['.part-job_1']);
  api.answers['GET /downloads/0'] = ({ headers }, response) => {
    ranges.push(headers.range);
    response.writeHead(206).end(BYTES.subarray(10));
  };
  const { code, stderr } = await jobs('download', 'job_1', '--out', 'parts');
  assert.equal(code, 0, stderr);
  assert.deepEqual(ranges, [undefined, 'bytes=10-', 'bytes=10-']);
  assert.ok((await readFile(join(api.folder, 'parts/a-0.mp3'))).equals(BYTES));
});

test('a part that is longer than the segment is started again', async () => {
  serveJob();
  api.answers['GET /downloads/0'] = (_request, response) => void response.end(BYTES);
  const staging = join(api.folder, 'parts/.part-job_1');
  await mkdir(staging, { recursive: true });
  await writeFile(join(staging, '.segment-0.part'), 'x'.repeat(BYTES.length + 1));
  assert.equal((await jobs('download', 'job_1', '--out', 'parts')).code, 0);
  assert.ok((await readFile(join(api.folder, 'parts/a-0.mp3'))).equals(BYTES));
});

test('wrong usage exits with 2 and one line', async () => {
  for (const args of [
    ['show'],
    ['show', '../x'],
    ['list', 'job_1'],
    ['list', '--status', 'done'],
    ['list', '--limit', '0'],
    ['list', '--nonsense'],
    ['find'],
  ]) {
    const { code, stderr } = await jobs(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, /^[^\n]+\n$/);
  }
  assert.match((await api.run('jobs', 'list')).stderr, /audiosplit login/);
  assert.deepEqual(api.seen, []);
});

test('help lists the actions and their options', async () => {
  for (const args of [['jobs'], ['jobs', '--help'], ['jobs', 'list', '--help']]) {
    const { code, stdout } = await api.run(...args);
    assert.equal(code, 0);
    assert.match(stdout, /audiosplit jobs download JOB {2,}all segments.*--out DIR/s);
  }
});
