/** Being killed, stopped and started again. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../deploy/provision/free-port.ts';
import {
  awaitStatus,
  completeJob,
  createJob,
  readJob,
  type SplitRequest,
  sampleUrl,
  uploadFile,
} from '../harness/product/api.ts';
import {
  LAUNCHER,
  NPM_START,
  type Product,
  removeDataDir,
  runProduct,
  startProduct,
  temporaryFolder,
} from '../harness/product/product.ts';
import { judgeAudio, makeNoise } from './audio.ts';
import { scenario } from './scenario.ts';

const STOP_BOUND_MS = 10_000;
const LEASE_SECONDS = 5;
const RECOVERY_TIMEOUT_MS = 90_000;
const NOISE_SECONDS = 600;

scenario(
  'a job in the middle of its work when everything is killed with -9 is finished after the next start',
  { covers: ['GET /api/v1/splits/:jobId'], timeoutMs: 240_000 },
  async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    // Uploads are addressed below the product's own address, so it has to come back where it was.
    const env = { PORT: String(await freePort()), JOB_LEASE_SECONDS: String(LEASE_SECONDS) };
    try {
      const path = join(folder, 'noise.wav');
      await makeNoise(path, NOISE_SECONDS);
      const first = await startProduct({ dataDir, env });
      const sourceUrl = await uploadFile(first, path);
      const wish: SplitRequest = {
        sourceUrl,
        splitMode: 'duration',
        segmentDuration: 100,
        // Takes some seconds, however fast the encoders are fed.
        outputFormat: 'mp3',
      };
      const { id } = await createJob(first, wish);
      await awaitStatus(first, id, ['processing', 'completed', 'failed']);
      await sleep(500);
      assert.equal((await readJob(first, id)).status, 'processing');
      await first.killHard();

      await using second = await startProduct({ dataDir, env });
      const { segments } = await completeJob(second, id, RECOVERY_TIMEOUT_MS);
      assert.deepEqual(
        segments.map(({ duration }) => duration),
        [100, 100, 100, 100, 100, 100],
      );
      let seconds = 0;
      for (const { index, downloadUrl } of segments) {
        const file = join(folder, `${index}.mp3`);
        await writeFile(file, Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()));
        seconds += (await judgeAudio(file)).seconds;
      }
      assert.ok(Math.abs(seconds - NOISE_SECONDS) < 0.01, `${seconds} s`);
    } finally {
      await removeDataDir(dataDir);
      await rm(folder, { recursive: true, force: true });
    }
  },
);

scenario('jobs, keys and segments survive a restart', { covers: ['GET /api/v1/splits/:jobId'] }, async () => {
  const dataDir = await temporaryFolder();
  const env = { PORT: String(await freePort()) };
  try {
    const first = await startProduct({ dataDir, env });
    const wish: SplitRequest = { sourceUrl: sampleUrl(first), splitMode: 'duration', segmentDuration: 20 };
    const { id } = await createJob(first, wish);
    const before = await completeJob(first, id);
    await first[Symbol.asyncDispose]();

    await using second = await startProduct({ dataDir, env });
    assert.equal(second.apiKey, first.apiKey);
    const after = await completeJob(second, id);
    assert.equal(after.completedAt, before.completedAt);
    for (const { segments } of [before, after]) {
      const response = await fetch(segments[0]?.downloadUrl ?? '');
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  } finally {
    await removeDataDir(dataDir);
  }
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  for (const command of [NPM_START, LAUNCHER]) {
    const tags = command === NPM_START ? { embeddedOnly: 'npm hands signals down to any script alike' } : {};
    scenario(`${signal} to \`${command.join(' ')}\` stops everything within 10 s`, tags, async () => {
      await stops({ command }, (product) => product.signal(signal));
    });
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  scenario(
    `${signal} to all processes at once, as service managers and shells send it, does too`,
    {},
    async () => {
      await stops({ command: LAUNCHER }, ({ processGroup }) => void process.kill(-processGroup, signal));
    },
  );
}

scenario(
  'SIGTERM in the middle of a job stops everything within 10 s, and the job goes on later',
  {},
  async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const env = { PORT: String(await freePort()), JOB_LEASE_SECONDS: String(LEASE_SECONDS) };
    try {
      const path = join(folder, 'noise.wav');
      await makeNoise(path, NOISE_SECONDS);
      const first = await startProduct({ dataDir, env, command: LAUNCHER });
      const sourceUrl = await uploadFile(first, path);
      const wish: SplitRequest = {
        sourceUrl,
        splitMode: 'duration',
        segmentDuration: 300,
        outputFormat: 'mp3',
      };
      const { id } = await createJob(first, wish);
      await awaitStatus(first, id, ['processing', 'completed', 'failed']);
      await assertStops(first, () => first.signal('SIGTERM'));

      await using second = await startProduct({ dataDir, env });
      assert.equal((await completeJob(second, id, RECOVERY_TIMEOUT_MS)).segments.length, 2);
    } finally {
      await removeDataDir(dataDir);
      await rm(folder, { recursive: true, force: true });
    }
  },
);

scenario('a second instance on the same folder gives up in one line, and the first goes on', {}, async () => {
  await using first = await startProduct();
  const { code, stdout, stderr } = await runProduct({ DATA_DIR: first.dataDir });
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^audiosplit: [^\n]*another instance[^\n]*\n$/);
  assert.ok(stderr.includes(first.dataDir), stderr);
  const wish: SplitRequest = { sourceUrl: sampleUrl(first), splitMode: 'duration', segmentDuration: 20 };
  const { id } = await createJob(first, wish);
  await completeJob(first, id);
});

async function stops(
  options: { readonly command: readonly [string, ...string[]] },
  stop: (product: Product) => void,
): Promise<void> {
  await using product = await startProduct(options);
  await assertStops(product, () => stop(product));
}

async function assertStops(product: Product, stop: () => void): Promise<void> {
  const { runningParts, exited, baseUrl } = product;
  assert.notDeepEqual(await runningParts(), []);
  stop();
  const tooLate = sleep(STOP_BOUND_MS, undefined, { ref: false }).then(() => undefined);
  const exit = await Promise.race([exited, tooLate]);
  assert.ok(exit !== undefined, `after ${STOP_BOUND_MS / 1000} s it still runs`);
  assert.deepEqual(await runningParts(), [], 'what still runs');
  await assert.rejects(fetch(baseUrl));
  const ofTheProduct = exit.stderr.split('\n').filter((text) => text !== '' && !text.startsWith('npm '));
  assert.deepEqual(
    ofTheProduct.map((text) => text.slice(0, 200)),
    [],
  );
  // npm dies of the signal that it was sent.
  assert.ok(exit.code === 0 || exit.signal !== null, `it ended with ${exit.code}`);
}
