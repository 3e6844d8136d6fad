/** The product is killed, stopped and started again. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../deploy/provision/free-port.ts';
import { dataFolder } from '../harness/installation/as-a-user/npm-start.ts';
import type { StartedProduct, UserOptions } from '../harness/installation/as-a-user/product.ts';
import { runProduct, userStart } from '../harness/installation/as-a-user/start-as-user.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { awaitStatus, clientOf, completeJob, createJob, download, linesOfProduct, sampleBy } from './api.ts';
import { measureSegments, uploadNoise } from './audio.ts';
import { scenario } from './scenario.ts';

const STOP_BOUND_MS = 10_000;
const LEASE_SECONDS = 5;
const RECOVERY_TIMEOUT_MS = 90_000;
const NOISE_SECONDS = 600;

const { launcher, npm } = userStart;
const start = (options: Omit<UserOptions, 'kind'> = {}) =>
  startInstallation({ kind: 'as-a-user', ...options });

/** For several starts in a row. Addresses of uploads and segments contain the port, so it must not change. */
const sameAddress = async () => ({
  PORT: String(await freePort()),
  JOB_LEASE_SECONDS: String(LEASE_SECONDS),
});

/**
 * A job that takes some seconds, regardless of how fast the encoders get their input. Resolves once it has
 * begun.
 */
async function startLongJob(product: StartedProduct, segmentDuration: number): Promise<string> {
  const sourceUrl = await uploadNoise(product, NOISE_SECONDS);
  const cut = { splitMode: 'duration', segmentDuration, outputFormat: 'mp3' } as const;
  const { id } = await createJob(product, { sourceUrl, ...cut });
  await awaitStatus(product, id, ['processing', 'completed', 'failed']);
  return id;
}

scenario(
  'a running job whose processes are all killed with -9 is finished after the next start',
  { covers: ['GET /api/v1/splits/:jobId'], timeoutMs: 240_000 },
  async () => {
    await using data = await dataFolder();
    const options = { dataDir: data.path, env: await sameAddress() };
    const first = await start(options);
    const id = await startLongJob(first, 100);
    await sleep(500);
    assert.equal((await clientOf(first).getSplit(id)).status, 'processing');
    await first.killHard();

    await using second = await start(options);
    const { segments } = await completeJob(second, id, RECOVERY_TIMEOUT_MS);
    assert.equal(segments.map(({ duration }) => duration).join(), '100,100,100,100,100,100');
    const seconds = await measureSegments(segments);
    assert.ok(Math.abs(seconds - NOISE_SECONDS) < 0.01, `${seconds} s`);
  },
);

scenario('jobs, keys and segments survive a restart', { covers: ['GET /api/v1/splits/:jobId'] }, async () => {
  await using data = await dataFolder();
  const options = { dataDir: data.path, env: await sameAddress() };
  const first = await start(options);
  const { id } = await createJob(first, sampleBy(first, 20));
  const before = await completeJob(first, id);
  await first[Symbol.asyncDispose]();

  await using second = await start(options);
  assert.equal(second.apiKey, first.apiKey);
  const after = await completeJob(second, id);
  assert.equal(after.completedAt, before.completedAt);
  for (const { segments } of [before, after]) await download(segments[0]?.downloadUrl);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  for (const command of [npm, launcher]) {
    const tags = command === npm ? { embeddedOnly: 'npm hands signals down to any script alike' } : {};
    scenario(`${signal} to \`${command.join(' ')}\` stops everything within 10 s`, tags, async () => {
      await using product = await start({ command });
      await assertStops(product, () => product.signal(signal));
    });
  }

  scenario(
    `${signal} to all processes at once, as service managers and shells send it, stops everything too`,
    {},
    async () => {
      await using product = await start({ command: launcher });
      await assertStops(product, () => void process.kill(-product.processGroup, signal));
    },
  );
}

scenario('SIGTERM during a job stops everything within 10 s, and the job continues later', {}, async () => {
  await using data = await dataFolder();
  const options = { dataDir: data.path, env: await sameAddress() };
  const first = await start({ ...options, command: launcher });
  const id = await startLongJob(first, 300);
  await assertStops(first, () => first.signal('SIGTERM'));

  await using second = await start(options);
  assert.equal((await completeJob(second, id, RECOVERY_TIMEOUT_MS)).segments.length, 2);
});

scenario(
  'a second instance on the same folder exits with one line, and the first continues',
  {},
  async () => {
    await using first = await start();
    const { code, stdout, stderr } = await runProduct({ DATA_DIR: first.dataDir });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^audiosplit: [^\n]*another instance[^\n]*\n$/);
    assert.ok(stderr.includes(first.dataDir), stderr);
    await completeJob(first, (await createJob(first, sampleBy(first, 20))).id);
  },
);

async function assertStops(product: StartedProduct, stop: () => void): Promise<void> {
  const { runningParts, exited, baseUrl } = product;
  assert.notDeepEqual(await runningParts(), []);
  stop();
  const tooLate = sleep(STOP_BOUND_MS, undefined, { ref: false }).then(() => undefined);
  const exit = await Promise.race([exited, tooLate]);
  assert.ok(exit !== undefined, `after ${STOP_BOUND_MS / 1000} s it still runs`);
  assert.deepEqual(await runningParts(), [], 'what still runs');
  await assert.rejects(fetch(baseUrl));
  assert.deepEqual(linesOfProduct(exit.stderr), []);
  // npm ends with the signal that it received.
  assert.ok(exit.code === 0 || exit.signal !== null, `it ended with ${exit.code}`);
}
