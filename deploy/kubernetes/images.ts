/**
 * Loads images from Docker Engine into the nodes: the product's, those of the trial engines, and the pause
 * image.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Docker, openDocker } from '../containers/docker.ts';
import { ensureEngineImages } from '../containers/engine-images.ts';
import { buildImages, CLUSTER_IMAGES, ensureBaseImage, imageTag } from '../containers/product-images.ts';
import { chartVersion } from '../provision/chart-version.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { type Machine, runIn } from './machine/machine.ts';
import { CONTAINERD_SOCKET, PAUSE_IMAGE } from './node.ts';
import type { ClusterPrograms } from './programs.ts';

/** For ctr: where the kubelet's containers and images are. */
export const CONTAINERD = ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io'];
/** The chart's `trial.<engine>.image`, by the image's variable of Compose. */
const TRIAL_ENGINES = {
  POSTGRES_IMAGE: 'postgresql',
  REDIS_IMAGE: 'redis',
  KAFKA_IMAGE: 'kafka',
  STORAGE_IMAGE: 'storage',
} as const;

/**
 * Builds missing images; resolves with the path of an archive in `folder`, in the format of `docker save`,
 * and the chart's values for it.
 */
export async function saveImages(folder: string, programs: ClusterPrograms, task: Task) {
  await using docker = await openDocker(task);
  const baseImage = await ensureBaseImage(docker, task);
  const version = await chartVersion();
  await buildImages(docker, baseImage, task, { names: CLUSTER_IMAGES });
  for (const name of CLUSTER_IMAGES)
    await docker.run(['tag', imageTag(name), `${imageTag(name)}:${version}`]);
  const variables = Object.keys(TRIAL_ENGINES);
  const engines = await ensureEngineImages(docker, baseImage, task, variables);
  await ensurePauseImage(docker, programs.pause, task);
  const path = join(folder, 'images.tar');
  const own = CLUSTER_IMAGES.map((name) => `${imageTag(name)}:${version}`);
  const images = [...own, ...Object.values(engines), PAUSE_IMAGE];
  await task.step('saving the images', () => docker.run(['save', '--output', path, ...images]));
  const trial = Object.entries(TRIAL_ENGINES).map(([variable, engine]) => [
    engine,
    { image: engines[variable] },
  ]);
  return { path, values: { trial: Object.fromEntries(trial) } };
}

/** Importing an image that containerd already has is harmless. */
export async function importImages(node: Machine, ctr: string, archive: string, task: Task): Promise<void> {
  await runIn(node, ctr, [...CONTAINERD, 'images', 'import', archive], task);
}

/** Gives the product's images an additional tag, as the target of an upgrade. */
export async function retagImages(node: Machine, ctr: string, tag: string, task: Task): Promise<void> {
  const version = await chartVersion();
  for (const name of CLUSTER_IMAGES) {
    const image = `docker.io/library/${imageTag(name)}`;
    const args = ['images', 'tag', '--force', `${image}:${version}`, `${image}:${tag}`];
    await runIn(node, ctr, [...CONTAINERD, ...args], task);
  }
}

async function ensurePauseImage(docker: Docker, program: string, task: Task): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-pause-'));
  const archive = join(folder.path, 'pause.tar');
  await runTool('tar', ['-C', dirname(program), '-cf', archive, 'pause'], { signal: task.signal });
  await docker.run(['import', '--change', 'ENTRYPOINT ["/pause"]', archive, PAUSE_IMAGE]);
}
