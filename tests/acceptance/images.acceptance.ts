/** The images by themselves: their size, and how little Docker has to grant them. */
import assert from 'node:assert/strict';
import { until } from '@audiosplit/chassis/testing/until';
import { imageSizes } from '../../deploy/containers/image-sizes.ts';
import {
  IMAGE_NAMES,
  imageTag,
  SERVING_IMAGES,
  type ServingImage,
} from '../../deploy/containers/product-images.ts';
import { startConfined } from './confined-container.ts';
import { containerOf, runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

/** Node is 150 MB of each; decision 30 tells what each comes to. */
const MAX_IMAGE_BYTES = 205e6;
/** Of the one image, which has a PostgreSQL too. */
const MAX_ONE_IMAGE_BYTES = 400e6;
const HEALTHY_TIMEOUT_MS = 90_000;
/** Longer than DRAIN_DELAY_SECONDS, as in compose.yaml. */
const STOP_TIMEOUT_SECONDS = '40';

scenario('no image is larger than Node and a service take', { containersOnly: true }, async () => {
  for (const [name, bytes] of await imageSizes({ run: runDocker }, IMAGE_NAMES)) {
    const most = name === 'all' ? MAX_ONE_IMAGE_BYTES : MAX_IMAGE_BYTES;
    assert.ok(bytes < most, `${name}: ${bytes} bytes`);
  }
});

scenario(
  'each image that serves becomes healthy under docker run --read-only --cap-drop ALL, with no folder to write to, and ends with 0',
  { containersOnly: true, timeoutMs: 240_000 },
  () => serveAndEnd((name) => [imageTag(name)]),
);

scenario(
  'the one image is each process of a cluster by its argument: healthy with no folder to write to, and it ends with 0',
  { containersOnly: true, timeoutMs: 240_000 },
  () => serveAndEnd((name) => [imageTag('all'), name]),
);

async function serveAndEnd(imageOf: (name: ServingImage) => readonly string[]): Promise<void> {
  const ids: string[] = [];
  const inspect = async (format: string) =>
    (await runDocker(['inspect', '--format', format, ...ids])).trimEnd().split('\n');
  try {
    // The image's own check, more often than it asks for.
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
