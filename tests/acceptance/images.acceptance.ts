/** The images on their own: their size, and how few rights Docker must grant them. */
import assert from 'node:assert/strict';
import { until } from '@audiosplit/chassis/testing/until';
import { imageSizes } from '../../deploy/containers/image-sizes.ts';
import {
  IMAGE_NAMES,
  type ImageName,
  imageTag,
  SERVING_IMAGES,
  type ServingImage,
} from '../../deploy/containers/product-images.ts';
import { startConfined } from './confined-container.ts';
import { containerOf, runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

/** Node is 150 MB of each; decision 30 lists all sizes. */
const MAX_IMAGE_BYTES = 205e6;
const LARGER_IMAGES: Readonly<Partial<Record<ImageName, number>>> = {
  /** With the fonts of names on invoices. */
  billing: 230e6,
  /** The one image, which also contains PostgreSQL. */
  all: 400e6,
};
const HEALTHY_TIMEOUT_MS = 90_000;
/** Longer than DRAIN_DELAY_SECONDS, as in compose.yaml. */
const STOP_TIMEOUT_SECONDS = '40';

scenario('no image is larger than Node and a service require', { containersOnly: true }, async () => {
  for (const [name, bytes] of await imageSizes({ run: runDocker }, IMAGE_NAMES)) {
    const most = LARGER_IMAGES[name] ?? MAX_IMAGE_BYTES;
    assert.ok(bytes < most, `${name}: ${bytes} bytes`);
  }
});

scenario(
  'each server image becomes healthy under docker run --read-only --cap-drop ALL, without a writable folder, and exits with 0',
  { containersOnly: true, timeoutMs: 240_000 },
  () => serveAndEnd((name) => [imageTag(name)]),
);

scenario(
  'the single image runs each process of a cluster by its argument: healthy without a writable folder, and it exits with 0',
  { containersOnly: true, timeoutMs: 240_000 },
  () => serveAndEnd((name) => [imageTag('all'), name]),
);

async function serveAndEnd(imageOf: (name: ServingImage) => readonly string[]): Promise<void> {
  const ids: string[] = [];
  const inspect = async (format: string) =>
    (await runDocker(['inspect', '--format', format, ...ids])).trimEnd().split('\n');
  try {
    // The image's own health check, at a shorter interval.
    for (const name of SERVING_IMAGES)
      ids.push(await startConfined(containerOf(name).id, ['--health-interval', '2s', ...imageOf(name)]));
    const areHealthy = async () =>
      (await inspect('{{.State.Health.Status}}')).every((status) => status === 'healthy');
    await until(areHealthy, 'all are healthy', HEALTHY_TIMEOUT_MS);
    await runDocker(['stop', '-t', STOP_TIMEOUT_SECONDS, ...ids]);
    const expected = SERVING_IMAGES.map((name) => `${imageOf(name)[0]} 0`);
    assert.deepEqual(await inspect('{{.Config.Image}} {{.State.ExitCode}}'), expected);
  } catch (error) {
    for (const id of ids) process.stderr.write(await runDocker(['logs', '--tail', '20', id]));
    throw error;
  } finally {
    if (ids.length > 0) await runDocker(['rm', '--force', ...ids]);
  }
}
