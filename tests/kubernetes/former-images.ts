/**
 * The release to upgrade from: the last one in which one secret signed the calls of all processes. Its chart
 * and images (in an archive as `docker save` writes it) are built once from its commit and cached.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDocker } from '../../deploy/containers/docker.ts';
import {
  buildImages,
  ensureBaseImage,
  type ImageName,
  imageTag,
  SERVING_IMAGES,
} from '../../deploy/containers/product-images.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { cacheDir, ensureDirectory } from '../../deploy/provision/cache.ts';
import { ProvisionError } from '../../deploy/provision/provision-error.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';

const COMMIT = 'f413bf501d982031111832e2eb4d914632480821';
export const FORMER_TAG = `0.1.0-${COMMIT.slice(0, 7)}`;

export interface FormerImages {
  readonly chart: string;
  readonly archive: string;
}

/** Throws ProvisionError if the clone does not include that commit. */
export async function buildFormerImages(task: Task): Promise<FormerImages> {
  const folder = join(cacheDir(), `release-${FORMER_TAG}`);
  const fill = async (partial: string) => {
    const tree = join(partial, 'tree');
    await extract(tree, task);
    await using docker = await openDocker(task);
    const baseImage = await ensureBaseImage(docker, task);
    const tagOf = (name: ImageName) => `${imageTag(name)}:${FORMER_TAG}`;
    await buildImages(docker, baseImage, task, { names: SERVING_IMAGES, root: tree, tagOf });
    const tags = SERVING_IMAGES.map(tagOf);
    await docker.run(['save', '--output', join(partial, 'images.tar'), ...tags]);
    await docker.run(['image', 'rm', ...tags]);
  };
  await ensureDirectory(folder, fill, task.signal);
  return { chart: join(folder, 'tree/charts/audiosplit'), archive: join(folder, 'images.tar') };
}

async function extract(tree: string, { signal }: Task): Promise<void> {
  const git = (...args: readonly string[]) => runTool('git', args, { signal, cwd: repositoryRoot });
  await git('cat-file', '-e', `${COMMIT}^{commit}`).catch((cause: unknown) => {
    signal.throwIfAborted();
    const missing = `the upgrade begins at commit ${COMMIT}, which this clone does not have`;
    throw new ProvisionError(`${missing}: git fetch --unshallow`, { cause });
  });
  const archive = `${tree}.tar`;
  await mkdir(tree, { recursive: true });
  await git('archive', '--output', archive, COMMIT);
  await runTool('tar', ['-C', tree, '-xf', archive], { signal });
  await rm(archive);
}
