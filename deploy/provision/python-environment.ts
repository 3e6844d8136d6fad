import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, ensureDirectory } from './cache.ts';
import { installPackages } from './debian-packages.ts';
import { findExecutable } from './executable.ts';
import { ProvisionError } from './provision-error.ts';
import { runTool, ToolError } from './run-tool.ts';
import type { Task } from './task.ts';

/** The minimum of schemathesis 4.32. */
const MINIMUM_PYTHON = [3, 11] as const;
const DEBIAN_PACKAGES = ['python3', 'python3-venv'];

/**
 * Resolves with the Python of a virtual environment in the cache, which has exactly the packages whose
 * digests are listed in the file `requirements`. A changed file creates a new environment. Throws
 * ProvisionError if Python is missing and cannot be installed.
 *
 * Run its programs as modules (`python -m`): the scripts in an environment contain the path at which it was
 * created.
 */
export async function ensurePythonEnvironment(
  name: string,
  requirements: string,
  task: Task,
): Promise<string> {
  const python = await providePython(task);
  const lock = await readFile(requirements);
  const version = await runTool(python, ['--version'], task);
  const digest = createHash('sha256').update(lock).update(python).update(version).digest('hex');
  const target = join(cacheDir(), `${name}-${digest.slice(0, 16)}`);
  const fill = (dir: string) =>
    task.step('pip install', async () => {
      await runTool(python, ['-m', 'venv', dir], task);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      const locked = ['--require-hashes', '--only-binary=:all:', '--requirement', requirements];
      await runTool(join(dir, 'bin/python'), [...install, ...locked], task);
    });
  await ensureDirectory(target, fill, task.signal);
  return join(target, 'bin/python');
}

async function providePython(task: Task): Promise<string> {
  const found = await findPython(task);
  if (found !== undefined) return found;
  await installPackages(DEBIAN_PACKAGES, `Python ${MINIMUM_PYTHON.join('.')} with venv`, task);
  const installed = await findPython(task);
  if (installed !== undefined) return installed;
  throw new ProvisionError(`there is no Python ${MINIMUM_PYTHON.join('.')} or later with venv on the PATH`);
}

/** A Python that is new enough and can create environments; Debian's cannot without python3-venv. */
async function findPython(task: Task): Promise<string | undefined> {
  const path = findExecutable('python3');
  if (path === undefined) return undefined;
  const check = `import ensurepip, sys, venv; sys.exit(sys.version_info < (${MINIMUM_PYTHON.join(', ')}))`;
  try {
    await runTool(path, ['-c', check], task);
    return path;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
