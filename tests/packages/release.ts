/** The packages of `npm run release -- --dry-run`. All packages tested here come from it. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../deploy/launcher.mjs';

export interface Release {
  readonly printed: string;
  /** Tarballs for npm. */
  readonly packages: readonly string[];
  readonly wheel: string;
}

/** Rejects with its complete output if it finds a problem. */
export async function packRelease(folder: string): Promise<Release> {
  const command = ['run', '--silent', 'release', '--', '--dry-run', '--out', folder];
  const { stdout } = await promisify(execFile)('npm', command, { cwd: repositoryRoot });
  const filesIn = async (name: string) =>
    (await readdir(join(folder, name))).map((file) => join(folder, name, file));
  return {
    printed: stdout,
    packages: await filesIn('npm'),
    wheel: (await filesIn('python')).find((file) => file.endsWith('.whl')) ?? 'no wheel',
  };
}
