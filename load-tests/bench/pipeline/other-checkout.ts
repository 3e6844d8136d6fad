/**
 * Another commit of this repository, checked out in a separate folder and measured with this checkout's
 * bench.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { temporaryFolder } from '../../../tests/harness/temporary-folder.ts';

const BENCH = 'load-tests/bench';
const MODULES = 'node_modules';
/** The workspaces' own packages: links into their checkout. */
const WORKSPACES = '@audiosplit';

export interface OtherCheckout extends AsyncDisposable {
  readonly root: string;
}

/** With the packages that are installed here. The checkout is removed at the end. */
export async function checkOut(commit: string): Promise<OtherCheckout> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const root = join(folder.path, 'checkout');
  git(['worktree', 'add', '--detach', root, commit]);
  opening.defer(async () => git(['worktree', 'remove', '--force', root]));
  await linkModules(join(repositoryRoot, MODULES), join(root, MODULES));
  for (const name of ['pipeline', 'job-times.ts'])
    await cp(join(repositoryRoot, BENCH, name), join(root, BENCH, name), { recursive: true });
  const opened = opening.move();
  return { root, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(join(to, WORKSPACES), { recursive: true });
  for (const name of await readdir(from))
    if (name !== WORKSPACES) await symlink(await realpath(join(from, name)), join(to, name));
  for (const name of await readdir(join(from, WORKSPACES)))
    await symlink(await readlink(join(from, WORKSPACES, name)), join(to, WORKSPACES, name));
}

function git(args: readonly string[]): void {
  try {
    execFileSync('git', args, { cwd: repositoryRoot, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    throw new StartError(`git ${args.join(' ')}: ${stderr?.trim() ?? ''}`);
  }
}
