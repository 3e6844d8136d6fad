import { delimiter } from 'node:path';
import { installPackages } from './debian-packages.ts';
import { findExecutable } from './executable.ts';
import { ProvisionError } from './provision-error.ts';
import type { Task } from './task.ts';

interface DebianProgram {
  readonly title: string;
  /**
   * Possible file names, searched in PATH and in the system's folders, which the PATH of some users lacks.
   */
  readonly names: readonly string[];
  readonly packageName: string;
}

const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/bin'];

/** The path of a program, which is installed if it is missing. Throws ProvisionError if it cannot be. */
export async function ensureDebianProgram(program: DebianProgram, task: Task): Promise<string> {
  const { title, names, packageName } = program;
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  const find = () => names.map((name) => findExecutable(name, folders)).find((path) => path !== undefined);
  const found = find();
  if (found !== undefined) return found;
  await installPackages([packageName], title, task);
  const installed = find();
  if (installed !== undefined) return installed;
  throw new ProvisionError(`${packageName} is installed, but there is no ${names.join(' or ')} on the PATH`);
}
