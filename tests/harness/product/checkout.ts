/** A clean clone of HEAD in a temporary folder, with its packages installed or linked in. */
import { execFileSync } from 'node:child_process';
import {
  constants,
  copyFileSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { newcomersEnvironment } from './environment.ts';

export interface Checkout extends AsyncDisposable {
  readonly root: string;
}

export async function makeCheckout({ install }: { readonly install: boolean }): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-checkout-'));
  const root = join(folder, 'audiosplit');
  execFileSync('git', ['clone', '--quiet', repositoryRoot, root], { stdio: 'inherit' });
  if (install) {
    const env = newcomersEnvironment();
    execFileSync('npm', ['run', 'split', '--', '--help'], {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } else {
    for (const path of globSync(
      '{.,gateway,gateway/console,proto,services/*,clients/*,deploy,tests,load-tests}/node_modules',
      {
        cwd: repositoryRoot,
      },
    )) {
      linkTree(join(repositoryRoot, path), join(root, path));
    }
  }
  return { root, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

export function uncommittedChanges(): number {
  const listing = execFileSync('git', ['status', '--porcelain'], { cwd: repositoryRoot, encoding: 'utf8' });
  return listing.split('\n').filter((line) => line !== '').length;
}

/**
 * Copies a tree at the price of its directory entries: files are hard links where the file system allows.
 * Symbolic links stay as they are, so that those of the workspaces lead into the clone.
 */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}
