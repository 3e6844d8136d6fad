/** Docker Compose: the client's plug-in where there is one, else built from its Go module. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, ensureDirectory } from '../engines/cache.ts';
import type { Task } from '../engines/engine.ts';
import { findExecutable } from '../engines/executable.ts';
import { ProvisionError } from '../engines/provision-error.ts';
import { runTool, ToolError } from '../engines/run-tool.ts';
import type { Docker } from './docker.ts';

/** 5.x needs a newer Go than Debian and its proxy agree on. */
const VERSION = '2.40.3';
const MODULE = 'github.com/docker/compose/v2';

/** Resolves with the command and its first arguments. Throws ProvisionError. */
export async function ensureCompose(docker: Docker, task: Task): Promise<readonly [string, ...string[]]> {
  try {
    await docker.run(['compose', 'version']);
    return [docker.command, 'compose'];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  const folder = join(cacheDir(), 'bin', `docker-compose-${VERSION}`);
  await ensureDirectory(folder, async (partial) => {
    const go = findExecutable('go');
    if (go === undefined) {
      throw new ProvisionError('there is neither the plug-in `docker compose` nor Go to build it with');
    }
    // `go install` refuses a module that excludes versions of others: it has to be somebody's dependency.
    await writeFile(join(partial, 'go.mod'), 'module docker-compose\n\ngo 1.25.0\n');
    const environment = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
    const run = (args: readonly string[]) =>
      runTool(go, args, { signal: task.signal, cwd: partial, environment });
    await task.step(`building Docker Compose ${VERSION} (some minutes)`, async () => {
      await run(['get', `${MODULE}@v${VERSION}`]);
      await run(['build', '-o', 'docker-compose', `${MODULE}/cmd`]);
    });
  });
  return [join(folder, 'docker-compose')];
}
