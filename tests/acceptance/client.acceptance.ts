/** The published client, used as in its README. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../harness/installation/as-a-user/command.ts';
import { PRODUCT_ROOT } from '../harness/installation/as-a-user/environment.ts';
import { clientOf, sampleUrl } from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();
const CLIENT = join(PRODUCT_ROOT, 'clients/typescript');
const EXAMPLE = /^<!-- example -->\n```ts\n([\s\S]*?)^```$/m;

scenario(
  "the example of the client's README splits the sample and fetches its segments",
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (product) => {
    const example = EXAMPLE.exec(await readFile(join(CLIENT, 'README.md'), 'utf8'))?.[1];
    assert.ok(example, 'no block is marked <!-- example -->');
    const flags = ['--input-type=module-typescript', '--conditions=audiosplit-source'];
    const { baseUrl, apiKey } = product;
    const env = { AUDIOSPLIT_URL: baseUrl, AUDIOSPLIT_KEY: apiKey, SOURCE_URL: sampleUrl(product) };
    const command = [process.execPath, ...flags, '-'] as const;
    const { code, stdout, stderr } = await runCommand(command, { cwd: CLIENT, env, stdin: example });
    assert.equal(code, 0, stderr);
    const lines = stdout.trimEnd().split('\n');
    const segments = lines.filter((line) => !/^\d+ %$/.test(line)).map((line) => line.split(' ').map(Number));
    const client = clientOf(product);
    const [job, ...others] = await Array.fromAsync(client.eachSplit());
    assert.deepEqual([job?.status, job?.segmentCount, others], ['completed', 5, []]);
    const sizes = await Array.fromAsync(client.segments(job?.id ?? ''), ({ size }) => size);
    const expected = [10, 10, 10, 10, 8].map((seconds, index) => [index, seconds, sizes[index]]);
    assert.deepEqual(segments, expected, stdout);
  },
);
