/** Whether the same sources give the same images: three of them are built once more, with nothing from the cache. */
import type { Task } from '../provision/task.ts';
import type { Docker } from './docker.ts';
import { buildImage, type ImageName, imageTag, updatesOfImages } from './product-images.ts';

/** Between them they have what is compiled for a machine, ffmpeg and a library of npm's, and the pages. */
const REBUILT: readonly ImageName[] = ['splitter', 'auth', 'gateway'];

/**
 * Resolves with a line for each layer that has come out different from the image's of that name, which is of these very
 * sources. Updates that Debian has published since the images were given theirs show as differences.
 */
export async function rebuildImages(
  docker: Docker,
  baseImage: string,
  task: Task,
): Promise<readonly string[]> {
  const updates = await updatesOfImages(docker);
  const differences: string[] = [];
  for (const name of REBUILT) {
    const tag = `${imageTag(name)}:rebuilt`;
    await task.step(`building ${imageTag(name)} without the cache`, () =>
      buildImage(docker, { name, tag, baseImage, updates, options: ['--no-cache'] }),
    );
    const [first, second] = [await layersOf(docker, imageTag(name)), await layersOf(docker, tag)];
    await docker.run(['image', 'rm', tag]);
    for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
      const [one, other] = [first[index] ?? 'none', second[index] ?? 'none'];
      if (one !== other) differences.push(`${imageTag(name)}, layer ${index + 1}: ${one}, then ${other}`);
    }
  }
  return differences;
}

/** Digests of what each holds, names, modes, owners and times included. */
async function layersOf(docker: Docker, image: string): Promise<readonly string[]> {
  return JSON.parse(await docker.run(['image', 'inspect', '--format', '{{json .RootFS.Layers}}', image]));
}
