/** The first steps of a new user: the printed commands, and those of README and the tour. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer, CompletedJob, QueuedJob } from '@audiosplit/client';
import { runCommand } from '../harness/installation/as-a-user/command.ts';
import { PRODUCT_ROOT } from '../harness/installation/as-a-user/environment.ts';
import type { StartedProduct } from '../harness/installation/as-a-user/product.ts';
import { userStart } from '../harness/installation/as-a-user/start-as-user.ts';
import { extractTour, readTourSteps, tourScript } from '../harness/readme-tour.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { assertStatus, call, completeJob, linesOfProduct } from './api.ts';
import { measureSegments } from './audio.ts';
import { onOwnProduct } from './scenario.ts';

const scenario = onOwnProduct({ command: userStart.npm });
const SAMPLE_SECONDS = 48;
const FAILURE = /"status":"failed"|INTERNAL_ERROR|RATE_LIMITED|INVALID_PARAMS|undefined/;

scenario(
  'the printed commands work unchanged, down to segments that play and add up',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (product) => {
    const [create, list, read] = printedCommands(product);
    const created = await runJson<QueuedJob>(create);
    assert.equal(created.status, 'queued');
    const { data } = await runJson<Answer<'listSplits'>>(list);
    assert.equal(data.map(({ id }) => id).join(), created.id);
    await completeJob(product, created.id);
    const job = await runJson<CompletedJob>(read.replace('<id of the job>', created.id));
    assert.equal(job.status, 'completed');
    assert.equal(job.sourceDuration, SAMPLE_SECONDS);
    assert.equal(job.segments.map(({ duration }) => duration).join(), '10,10,10,10,8');
    const seconds = await measureSegments(job.segments);
    assert.ok(Math.abs(seconds - SAMPLE_SECONDS) < 0.1, `${seconds} s`);
  },
);

scenario(
  'the printed address of the docs opens a page, and the description is OpenAPI 3.1',
  {},
  async (product) => {
    const docs = /^ {2}Docs +(\S+)$/m.exec(product.output().stdout)?.[1];
    const page = await fetch(docs ?? '');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /text\/html/);
    await page.body?.cancel();
    const description = await call<{ openapi: string; paths: object }>(product, 'GET /openapi.json');
    const { openapi, paths } = assertStatus(description, 200);
    assert.match(openapi, /^3\.1/);
    assert.ok('/api/v1/splits/{jobId}' in paths);
  },
);

scenario('a start writes nothing on standard error', {}, async ({ output }) => {
  const { stderr } = output();
  assert.deepEqual(linesOfProduct(stderr), []);
});

scenario(
  'the commands of README and of the tour work, block by block',
  {
    covers: [
      'POST /api/v1/splits',
      'GET /api/v1/splits',
      'GET /api/v1/splits/:jobId',
      'DELETE /api/v1/splits/:jobId',
      'POST /api/v1/api-keys',
    ],
  },
  async (product) => {
    await runTour(product, 'README.md');
    const stdout = await runTour(product, 'docs/guide/tour.md');
    assert.match(stdout, /"status":"completed"/);
    assert.match(stdout, /HTTP\/1\.1 204/);
  },
);

/** Returns the output of the page's commands. */
async function runTour({ baseUrl, dataDir }: StartedProduct, page: string): Promise<string> {
  const blocks = extractTour(await readFile(join(PRODUCT_ROOT, page), 'utf8'));
  assert.ok(blocks.length > 0, `${page} has no block marked <!-- tour -->`);
  await using folder = await temporaryFolder();
  const { stdout, stderr } = await runCommand(['bash', '--noprofile', '--norc'], {
    cwd: folder.path,
    env: { BASE: baseUrl, DATA_DIR: dataDir },
    stdin: tourScript(blocks),
  });
  const steps = readTourSteps(stdout, stderr);
  assert.equal(steps.length, blocks.length, `${page} broke off:\n${stdout}\n${stderr}`);
  steps.forEach((step, position) => {
    const message = `${blocks[position]}\n${JSON.stringify(step, null, 2)}`;
    assert.equal(step.status, 0, message);
    assert.equal(step.stderr, '', message);
    assert.doesNotMatch(withoutCanceledJob(step.stdout), FAILURE, message);
  });
  return stdout;
}

/** The tour cancels one job, which therefore has the status failed. */
function withoutCanceledJob(output: string): string {
  return output.replace(/"status":"failed"(?=[^\n]*"code":"CANCELED")/, '');
}

function printedCommands({ output }: StartedProduct): [string, string, string] {
  const [create, list, read, ...others] = output()
    .stdout.split('\n')
    .map((text) => text.trim())
    .filter((text) => text.startsWith('curl '));
  assert.ok(create !== undefined && list !== undefined && read !== undefined && others.length === 0);
  return [create, list, read];
}

async function runJson<T>(command: string): Promise<T> {
  const { code, stdout, stderr } = await runCommand(['sh', '-c', command], { cwd: PRODUCT_ROOT });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}
