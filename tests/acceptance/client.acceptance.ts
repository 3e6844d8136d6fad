/** The published client, as its README shows it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../harness/installation/as-a-user/command.ts';
import { PRODUCT_ROOT } from '../harness/installation/as-a-user/environment.ts';
import { connect, sampleUrl } from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();
const CLIENT = join(PRODUCT_ROOT, 'clients/typescript');
const EXAMPLE = /^<!-- example -->\n```ts\n([\s\S]*?)^```$/m;

scenario(
  "the example of the client's README splits the sample and fetches its segments",
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async () => {
    const running = await product();
    const example = EXAMPLE.exec(await readFile(join(CLIENT, 'README.md'), 'utf8'))?.[1];
    assert.ok(example, 'no block is marked <!-- example -->');
    const flags = ['--input-type=module-typescript', '--conditions=audiosplit-source'];
    const { code, stdout, stderr } = await runCommand([process.execPath, ...flags, '-'], {
      cwd: CLIENT,
      env: {
        AUDIOSPLIT_URL: running.baseUrl,
        AUDIOSPLIT_KEY: running.apiKey,
        SOURCE_URL: sampleUrl(running),
      },
      stdin: example,
    });
    assert.equal(code, 0, stderr);
    const lines = stdout.trimEnd().split('\n');
    const segments = lines.filter((line) => !/^\d+ %$/.test(line)).map((line) => line.split(' ').map(Number));
    assert.deepEqual(
      segments.map(([index, seconds]) => [index, seconds]),
      [10, 10, 10, 10, 8].map((seconds, index) => [index, seconds]),
      stdout,
    );

    const client = connect(running, { apiKey: running.apiKey });
    const jobs = await Array.fromAsync(client.eachSplit());
    assert.deepEqual(
      jobs.map(({ status, segmentCount }) => [status, segmentCount]),
      [['completed', 5]],
    );
    const sizes = await Array.fromAsync(client.segments(jobs[0]?.id ?? ''), ({ size }) => size);
    assert.deepEqual(
      segments.map(([, , bytes]) => bytes),
      sizes,
    );
  },
);
