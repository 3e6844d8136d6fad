/** Builds a replacement of the base image where no registry can be reached: base-image.sh, with what it needs installed. */
import { join } from 'node:path';
import { installPackages } from '../provision/debian-packages.ts';
import { findExecutable } from '../provision/executable.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import type { Docker } from './docker.ts';

/** What makes a root of Debian's packages. It lies where only root's PATH leads. */
const PROGRAM = 'debootstrap';
const FOLDERS = ['/usr/sbin', '/usr/bin'];

/** Throws ProvisionError, with the command to run, where debootstrap is missing and may not be installed. */
export async function makeBaseImage(docker: Docker, tag: string, task: Task): Promise<void> {
  if (findExecutable(PROGRAM, FOLDERS) === undefined) {
    await installPackages([PROGRAM], 'what makes a base image without a registry', task);
  }
  await task.step('no registry: making a base image of Debian', () =>
    runTool(join(import.meta.dirname, 'base-image.sh'), [tag], {
      signal: task.signal,
      environment: { ...docker.environment, DOCKER: docker.command },
    }),
  );
}
