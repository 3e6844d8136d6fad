import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import { ensurePythonEnvironment } from '../provision/python-environment.ts';
import type { Task } from '../provision/task.ts';

export const PYTHON_CLIENT = join(repositoryRoot, 'clients/python');
export const GENERATED = join(PYTHON_CLIENT, 'src/audiosplit/_generated');

/** A Python with all packages that generate, build, check and run the client, without the client itself. */
export function providePython(task: Task): Promise<string> {
  return ensurePythonEnvironment('python-client', join(PYTHON_CLIENT, 'requirements.txt'), task);
}
