/** The one image as README starts it: the whole product on a volume, in a single container. */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@audiosplit/chassis/testing/until';
import type { CompletedJob } from '@audiosplit/client';
import { imageTag } from '../../deploy/containers/product-images.ts';
import { freePort } from '../../deploy/provision/free-port.ts';
import { PRODUCT_ROOT } from '../harness/installation/as-a-user/environment.ts';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { clientOf, completeJob, createJob, sampleBy } from './api.ts';
import { measureSegments } from './audio.ts';
import { CONFINED } from './confined-container.ts';
import { containers, runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

const README_COMMAND = /^docker run (-p 8080:8080 -v audiosplit:\/data) audiosplit$/m;
const NEWER_IMAGE = 'audiosplit:newer';
const USER = 65532;
/** Docker's own default before it kills. */
const STOP_TIMEOUT_SECONDS = '10';
const HEALTHY_TIMEOUT_MS = 60_000;
const SAMPLE_SECONDS = 48;

scenario(
  'docker run, as in README, completes a first split; a newer image on its volume, with a read-only root, still has the job, also after a kill',
  { containersOnly: true, timeoutMs: 300_000 },
  async () => {
    await using volume = await createVolume();
    const place = { volume: volume.name, port: await freePort() };
    let made: CompletedJob;
    {
      await using first = await start(place, [], imageTag('all'));
      const job = await createJob(first.product, sampleBy(first.product, 10));
      made = await completeJob(first.product, job.id);
      assert.equal(made.segments.map(({ duration }) => duration).join(), '10,10,10,10,8');
      const seconds = await measureSegments(made.segments);
      assert.ok(Math.abs(seconds - SAMPLE_SECONDS) < 0.1, `${seconds} s`);
      assert.deepEqual(await writablePlaces(first.id), ['/data']);
      assert.equal(await first.stop(), 0);
    }

    const release = `FROM ${imageTag('all')}\nLABEL org.opencontainers.image.version=newer\n`;
    await runDocker(['build', '--quiet', '--tag', NEWER_IMAGE, '-'], release);
    await using second = await start(place, CONFINED, NEWER_IMAGE);
    await expectJob(second.product, made);
    await runDocker(['kill', second.id]);
    await runDocker(['start', second.id]);
    await second.untilHealthy();
    await expectJob(second.product, made);
    assert.equal(await second.stop(), 0);
  },
);

scenario(
  'the single image lists the processes that it can run, and runs no other',
  { containersOnly: true },
  async () => {
    const run = runDocker(['run', '--rm', ...CONFINED, '--network', 'none', imageTag('all'), 'splitters']);
    await assert.rejects(
      run,
      /splitters is no process\..* gateway, operators, auth, .*, splitter, webhooks\./,
    );
  },
);

async function expectJob(product: Product, made: CompletedJob): Promise<void> {
  const job = await clientOf(product).getSplit(made.id);
  assert.equal(job.status, 'completed');
  const [seconds, expected] = [await measureSegments(job.segments), await measureSegments(made.segments)];
  assert.equal(seconds, expected, 'former links lead to the same segments');
}

interface Place {
  readonly volume: string;
  readonly port: number;
}

async function createVolume() {
  const name = (await runDocker(['volume', 'create'])).trim();
  return {
    name,
    [Symbol.asyncDispose]: async () => void (await runDocker(['volume', 'rm', '--force', name])),
  };
}

/** Uses README's command, except for the volume and the port, which both sides must know. */
async function start({ volume, port }: Place, confinement: readonly string[], image: string) {
  const readme = readFileSync(join(PRODUCT_ROOT, 'README.md'), 'utf8');
  const [, options = assert.fail('README has no docker run')] = README_COMMAND.exec(readme) ?? [];
  const baseUrl = `http://127.0.0.1:${port}`;
  const given = options
    .replace('8080:', `127.0.0.1:${port}:`)
    .replace('audiosplit:', `${volume}:`)
    .split(' ');
  const beside = ['--detach', '--health-interval', '1s', '--env', `PUBLIC_BASE_URL=${baseUrl}`];
  const id = (await runDocker(['run', ...beside, ...confinement, ...given, image])).trim();
  const inspect = async (format: string) => (await runDocker(['inspect', '--format', format, id])).trim();
  const untilHealthy = () =>
    until(
      async () => (await inspect('{{.State.Health.Status}}')) === 'healthy',
      `${image} is healthy`,
      HEALTHY_TIMEOUT_MS,
    );
  try {
    await untilHealthy();
  } catch (error) {
    process.stderr.write(await runDocker(['logs', '--tail', '20', id]));
    throw error;
  }
  const apiKey = /^ {2}Key +(\S+)/m.exec(await runDocker(['logs', id]))?.[1] ?? assert.fail('no key');
  const samplesUrl = 'http://127.0.0.1:8080/samples/';
  const product: Product = { ...containers().product, baseUrl, samplesUrl, apiKey, headers: {} };
  return {
    id,
    product,
    untilHealthy,
    /** Resolves with the exit code: 137 if Docker has killed it. */
    async stop() {
      await runDocker(['stop', '-t', STOP_TIMEOUT_SECONDS, id]);
      return Number(await inspect('{{.State.ExitCode}}'));
    },
    [Symbol.asyncDispose]: async () => void (await runDocker(['rm', '--force', id])),
  };
}

/**
 * The places in the image that the process, which is not root, may write to; a writable folder is listed
 * without its contents.
 */
async function writablePlaces(id: string): Promise<readonly string[]> {
  const pid = (await runDocker(['inspect', '--format', '{{.State.Pid}}', id])).trim();
  const root = `/proc/${pid}/root`;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:\\t${USER}\\t${USER}\\t${USER}\\t${USER}$`, 'm'));
  const ofSystem = new Set(['/proc', '/sys', '/dev']);
  const below = (folder: string): readonly string[] =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const path = join(folder, name);
      const found = lstatSync(join(root, path));
      if (ofSystem.has(path) || found.isSymbolicLink()) return [];
      if (found.uid === USER || found.gid === USER || (found.mode & 0o002) !== 0) return [path];
      return found.isDirectory() ? below(path) : [];
    });
  return below('/');
}
