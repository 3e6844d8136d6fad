/** Checks whether the same sources produce the same images: builds three of them again without the cache. */
import type { Task } from '../provision/task.ts';
import type { Docker } from './docker.ts';
import { buildImage, type ImageName, imageTag, updatesOfImages } from './product-images.ts';

/** Together they contain compiled code, ffmpeg, an npm library and the pages. */
const REBUILT: readonly ImageName[] = ['splitter', 'auth', 'gateway'];

/**
 * Resolves with a line for each layer that differs from the image with this name, which was built from the
 * same sources. Updates that Debian has published meanwhile show as differences.
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

/** Digests of each layer's content, including names, modes, owners and times. */
async function layersOf(docker: Docker, image: string): Promise<readonly string[]> {
  return JSON.parse(await docker.run(['image', 'inspect', '--format', '{{json .RootFS.Layers}}', image]));
}
