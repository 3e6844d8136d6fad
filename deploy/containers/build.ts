/** `npm run build -- images`: builds the images, `audiosplit` and `audiosplit-<component>`, and says how large they are. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { chartVersion } from '../provision/chart-version.ts';
import { choice, flag, helpOf, names, parseOptions, text } from '../provision/options.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { runCommand } from '../provision/run-command.ts';
import { openDocker } from './docker.ts';
import { imageSizes, sizeTable } from './image-sizes.ts';
import {
  ARCHITECTURES,
  buildImages,
  ensureBaseImage,
  IMAGE_NAMES,
  imageTag,
  imageTagFor,
} from './product-images.ts';
import { readSbom } from './read-sbom.ts';
import { rebuildImages } from './rebuild-images.ts';

const IMAGES = {
  command: 'npm run build -- images',
  options: {
    only: names('IMAGE', IMAGE_NAMES.map(imageTag), 'builds some of them'),
    arch: choice('ARCHITECTURE', ARCHITECTURES, 'builds them for that processor, as <image>:<architecture>'),
    sbom: text('FOLDER', 'writes the list of what is in each to that folder, as <image>.cdx.json'),
    update: flag("installs Debian's present packages, in the base image and above it"),
    verify: flag('builds three of them again without the cache, and compares the layers'),
    push: text('REGISTRY', 'pushes them to that registry (HOST or HOST/PATH) with the login that Docker has'),
    tag: text('TAG', "the tag to push; default: the chart's, with --arch <the chart's>-<architecture>"),
  },
};

await runCommand(async (signal) => {
  const options = parseOptions(IMAGES, process.argv.slice(2));
  const { help, only, arch: architecture, sbom, update, verify, push: registry, tag } = options;
  if (help) return void process.stdout.write(helpOf(IMAGES));
  if (verify && architecture !== undefined) throw new StartError('--verify has no --arch');
  const task = reportedTask('images', reportTo(process.stderr), signal);
  await using docker = await openDocker(task);
  const baseImage = await ensureBaseImage(docker, task, update);
  const chosen = IMAGE_NAMES.filter((name) => only?.includes(imageTag(name)) ?? true);
  const tagOf = architecture === undefined ? imageTag : imageTagFor(architecture);
  await buildImages(docker, baseImage, task, { names: chosen, isUpdate: update, architecture, tagOf });
  process.stdout.write(sizeTable(await imageSizes(docker, chosen, tagOf), tagOf));
  if (sbom !== undefined) {
    await mkdir(sbom, { recursive: true });
    for (const name of chosen) {
      await writeFile(join(sbom, `${imageTag(name)}.cdx.json`), await readSbom(docker, tagOf(name)));
    }
  }
  if (verify) {
    const differences = await rebuildImages(docker, baseImage, task);
    if (differences.length > 0) {
      const advice =
        'Debian may have published something in between: --update --verify uses the same packages for both builds';
      throw new ProvisionError(`the second build has other layers. ${advice}.\n${differences.join('\n')}`);
    }
    process.stdout.write('The second build has the same layers.\n');
  }
  if (registry === undefined) return;
  const ofArchitecture = architecture === undefined ? '' : `-${architecture}`;
  const version = tag ?? `${await chartVersion()}${ofArchitecture}`;
  for (const name of chosen) {
    const pushed = `${registry.replace(/\/$/, '')}/${imageTag(name)}:${version}`;
    await docker.run(['tag', tagOf(name), pushed]);
    await task.step(`pushing ${pushed}`, () => docker.run(['push', pushed]));
    process.stdout.write(`${pushed}\n`);
  }
});
