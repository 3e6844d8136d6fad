import { join } from 'node:path';
import { ensurePythonEnvironment } from '../../deploy/provision/python-environment.ts';
import type { Task } from '../../deploy/provision/task.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/**
 * The command and its first arguments. Throws ProvisionError if Python is missing and cannot be installed.
 */
export async function provideSchemathesis(task: Task): Promise<readonly [string, ...string[]]> {
  return [await ensurePythonEnvironment('schemathesis', REQUIREMENTS, task), '-m', 'schemathesis.cli'];
}
