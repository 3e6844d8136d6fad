/** Docker Compose: the client's plug-in if it is installed, otherwise built from its Go module. */

import { ensureGoProgram, type GoProgram } from '../provision/go-program.ts';
import type { Task } from '../provision/task.ts';
import { type Docker, succeeds } from './docker.ts';

/** 5.x needs a newer Go than Debian and its proxy both offer. */
const COMPOSE: GoProgram = {
  name: 'docker-compose',
  package: 'github.com/docker/compose/v2/cmd',
  version: '2.40.3',
  minimumGo: '1.25.0',
  inModule: { module: 'github.com/docker/compose/v2' },
};

/** Resolves with the command and its first arguments. Throws ProvisionError. */
export async function ensureCompose(docker: Docker, task: Task): Promise<readonly [string, ...string[]]> {
  const isPlugIn = await succeeds(docker, ['compose', 'version']);
  return isPlugIn ? [docker.command, 'compose'] : [await buildCompose(task)];
}

export function buildCompose(task: Task): Promise<string> {
  return ensureGoProgram(COMPOSE, task);
}
