/**
 * `npm run images [-- --push REGISTRY]`: builds the product's images, `audiosplit-<component>`. With a registry, and a path
 * in it where it has some, they get the tag that the chart asks for by default, and are pushed as whom Docker is logged in.
 */
import { parseArgs } from 'node:util';
import { chartVersion } from '../cluster/chart-version.ts';
import { explainFailure } from '../engines/explain-failure.ts';
import { Interrupted, onInterruption } from '../engines/interruption.ts';
import { reportedTask, reportTo } from '../engines/progress.ts';
import { openDocker } from './docker.ts';
import { buildImages, ensureBaseImage, IMAGE_NAMES, imageTag } from './product-images.ts';

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const { values } = parseArgs({ options: { push: { type: 'string' } } });
  await makeImages(values.push);
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

async function makeImages(registry: string | undefined): Promise<void> {
  const task = reportedTask('images', reportTo(process.stderr), interruption.signal);
  await using docker = await openDocker(task);
  await buildImages(docker, await ensureBaseImage(docker, task), task);
  if (registry === undefined) return;
  const version = await chartVersion();
  for (const name of IMAGE_NAMES) {
    const pushed = `${registry.replace(/\/$/, '')}/${imageTag(name)}:${version}`;
    await docker.run(['tag', imageTag(name), pushed]);
    await task.step(`pushing ${pushed}`, () => docker.run(['push', pushed]));
    process.stdout.write(`${pushed}\n`);
  }
}
