/** The image `audiosplit` for arm64, as files and as a program that starts it: the machine has no Docker. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDocker } from '../../deploy/containers/docker.ts';
import { buildImages, ensureBaseImage, imageTagFor } from '../../deploy/containers/product-images.ts';
import { createUnstarted } from '../../deploy/containers/unstarted-container.ts';
import { shellWord } from '../../deploy/provision/shell-word.ts';
import type { Task } from '../../deploy/provision/task.ts';

const ARCHITECTURE = 'arm64';

interface ImageConfig {
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
}

/** Builds the image if it is not built yet, and writes `image.tar` and `start-image` into the folder. */
export async function exportImage(folder: string, task: Task): Promise<void> {
  await using docker = await openDocker(task);
  const baseImage = await ensureBaseImage(docker, task);
  const tagOf = imageTagFor(ARCHITECTURE);
  await buildImages(docker, baseImage, task, { names: ['all'], architecture: ARCHITECTURE, tagOf });
  const config: ImageConfig = JSON.parse(
    await docker.run(['image', 'inspect', '--format', '{{json .Config}}', tagOf('all')]),
  );
  await writeFile(join(folder, 'start-image'), startProgram(config));
  await using container = await createUnstarted(docker, tagOf('all'));
  await docker.run(['export', '--output', join(folder, 'image.tar'), container.name]);
}

/** Busybox lies in /dev there, the only folder of a container that is not of the image. */
function startProgram({ Env, WorkingDir, Entrypoint }: ImageConfig): string {
  const words = [...Env, ...Entrypoint].map(shellWord).join(' ');
  return `#!/dev/busybox sh\ncd ${shellWord(WorkingDir)}\nexec /dev/busybox env -i ${words}\n`;
}
