/** Compiles TypeScript as a user does who has installed the packages and the types of Node. */
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';

const COMPILER = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
const TYPES = ['--types', 'node', '--typeRoots', join(repositoryRoot, 'node_modules/@types')];
const FLAGS = ['--strict', '--module', 'nodenext', '--target', 'es2023', ...TYPES];

export function compileCommand(...args: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, COMPILER, ...FLAGS, ...args];
}
