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
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { newcomersEnvironment } from '../harness/installation/as-a-user/environment.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const PACKAGES =
  '{.,gateway,gateway/console,proto,services/*,clients/*,deploy,tests,load-tests}/node_modules';

export async function makeCheckout({ install }: { readonly install: boolean }) {
  const folder = await temporaryFolder();
  const root = join(folder.path, 'audiosplit');
  execFileSync('git', ['clone', '--quiet', repositoryRoot, root], { stdio: 'inherit' });
  if (install) {
    execFileSync('npm', ['run', 'split', '--', '--help'], {
      cwd: root,
      env: newcomersEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } else {
    for (const path of globSync(PACKAGES, { cwd: repositoryRoot })) {
      linkTree(join(repositoryRoot, path), join(root, path));
    }
  }
  return { ...folder, root };
}

export function uncommittedChanges(): number {
  const listing = execFileSync('git', ['status', '--porcelain'], { cwd: repositoryRoot, encoding: 'utf8' });
  return listing.split('\n').filter((line) => line !== '').length;
}

/**
 * Copies a tree, creating only directory entries: files become hard links if the file system allows it.
 * Symbolic links are kept, so that those of the workspaces lead into the clone.
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
