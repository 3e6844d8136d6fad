/**
 * `npm run images`: builds the product's images, `audiosplit-<component>`, and says how large they are.
 *
 *   --update          with the packages that Debian has now, in the base image and above it
 *   --verify          builds three of them once more, without the cache, and compares the layers
 *   --push REGISTRY   pushes them there, with a path where it has some, as whom Docker is logged in
 *   --tag TAG         what they are pushed as; without it the tag that the chart asks for by default
 */
import { parseArgs } from 'node:util';
import { explainFailure } from '../provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { chartVersion } from '../provision/chart-version.ts';
import { openDocker } from './docker.ts';
import { imageSizes, sizeTable } from './image-sizes.ts';
import { buildImages, ensureBaseImage, IMAGE_NAMES, imageTag } from './product-images.ts';
import { rebuildImages } from './rebuild-images.ts';

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const { values } = parseArgs({
    options: {
      update: { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      push: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  await makeImages(values);
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

interface Wishes {
  readonly update: boolean;
  readonly verify: boolean;
  readonly push?: string | undefined;
  readonly tag?: string | undefined;
}

async function makeImages({ update, verify, push: registry, tag }: Wishes): Promise<void> {
  const task = reportedTask('images', reportTo(process.stderr), interruption.signal);
  await using docker = await openDocker(task);
  const baseImage = await ensureBaseImage(docker, task, update);
  await buildImages(docker, baseImage, task, update);
  process.stdout.write(sizeTable(await imageSizes(docker)));
  if (verify) {
    const differences = await rebuildImages(docker, baseImage, task);
    if (differences.length > 0) {
      const advice = 'Debian may have published something in between: --update --verify takes the same twice';
      throw new ProvisionError(`other layers than before. ${advice}.\n${differences.join('\n')}`);
    }
    process.stdout.write('The same layers once more.\n');
  }
  if (registry === undefined) return;
  const version = tag ?? (await chartVersion());
  for (const name of IMAGE_NAMES) {
    const pushed = `${registry.replace(/\/$/, '')}/${imageTag(name)}:${version}`;
    await docker.run(['tag', imageTag(name), pushed]);
    await task.step(`pushing ${pushed}`, () => docker.run(['push', pushed]));
    process.stdout.write(`${pushed}\n`);
  }
}
