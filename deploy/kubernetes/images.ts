/** The product's images, those of the engines for trials, and one to hold pods open: from Docker Engine into the nodes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Docker, openDocker } from '../containers/docker.ts';
import { ensureEngineImages } from '../containers/engine-images.ts';
import { buildImages, ensureBaseImage, IMAGE_NAMES, imageTag } from '../containers/product-images.ts';
import { chartVersion } from '../provision/chart-version.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { type Machine, runIn } from './machine/machine.ts';
import { CONTAINERD_SOCKET, PAUSE_IMAGE } from './node.ts';
import type { ClusterPrograms } from './programs.ts';

/** The chart's `trial.<engine>.image`, by the image's variable of Compose. */
const TRIAL_ENGINES = {
  POSTGRES_IMAGE: 'postgresql',
  REDIS_IMAGE: 'redis',
  KAFKA_IMAGE: 'kafka',
  STORAGE_IMAGE: 'storage',
} as const;

export interface ImageArchive {
  /** As `docker save` writes it. */
  readonly path: string;
  /** For the chart. */
  readonly values: { readonly trial: Readonly<Record<string, { readonly image: string | undefined }>> };
}

/** Builds what is missing and writes all of it into `folder`. */
export async function saveImages(
  folder: string,
  programs: ClusterPrograms,
  task: Task,
): Promise<ImageArchive> {
  await using docker = await openDocker(task);
  const baseImage = await ensureBaseImage(docker, task);
  const version = await chartVersion();
  await buildImages(docker, baseImage, task);
  for (const name of IMAGE_NAMES) await docker.run(['tag', imageTag(name), `${imageTag(name)}:${version}`]);
  const variables = Object.keys(TRIAL_ENGINES);
  const engines = await ensureEngineImages(docker, baseImage, task, variables);
  await ensurePauseImage(docker, programs.pause, task);
  const path = join(folder, 'images.tar');
  const images = [
    ...IMAGE_NAMES.map((name) => `${imageTag(name)}:${version}`),
    ...Object.values(engines),
    PAUSE_IMAGE,
  ];
  await task.step('saving the images', () => docker.run(['save', '--output', path, ...images]));
  const trial = Object.entries(TRIAL_ENGINES).map(([variable, engine]) => [
    engine,
    { image: engines[variable] },
  ]);
  return { path, values: { trial: Object.fromEntries(trial) } };
}

/** What containerd has under a name already, it takes again without harm. */
export async function importImages(node: Machine, ctr: string, archive: string, task: Task): Promise<void> {
  await runIn(node, ctr, [...containerd(), 'images', 'import', archive], task);
}

/** Gives the product's images another tag beside their own, for an upgrade to something. */
export async function retagImages(node: Machine, ctr: string, tag: string, task: Task): Promise<void> {
  const version = await chartVersion();
  for (const name of IMAGE_NAMES) {
    const image = `docker.io/library/${imageTag(name)}`;
    await runIn(
      node,
      ctr,
      [...containerd(), 'images', 'tag', '--force', `${image}:${version}`, `${image}:${tag}`],
      task,
    );
  }
}

function containerd(): readonly string[] {
  return ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io'];
}

async function ensurePauseImage(docker: Docker, program: string, task: Task): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-pause-'));
  try {
    const archive = join(folder, 'pause.tar');
    await runTool('tar', ['-C', dirname(program), '-cf', archive, 'pause'], { signal: task.signal });
    await docker.run(['import', '--change', 'ENTRYPOINT ["/pause"]', archive, PAUSE_IMAGE]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
