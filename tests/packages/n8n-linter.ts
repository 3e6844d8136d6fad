/** n8n's linter, in a separate environment: it needs the TypeScript version that has an API. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { cacheDir, ensureDirectory } from '../../deploy/provision/cache.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';

const LINTER = join(repositoryRoot, 'tests/n8n/linter');
const FILES = ['package.json', 'package-lock.json', 'eslint.config.mjs'];

/** Resolves with its findings; empty if there are none. */
export async function lintNodes(folder: string, task: Task): Promise<string> {
  const digest = createHash('sha256');
  for (const file of FILES) digest.update(await readFile(join(LINTER, file)));
  const target = join(cacheDir(), `n8n-linter-${digest.digest('hex').slice(0, 16)}`);
  const fill = (dir: string) =>
    task.step('npm ci', async () => {
      for (const file of FILES) await copyFile(join(LINTER, file), join(dir, file));
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await runTool('npm', ['ci', '--legacy-peer-deps', ...quiet], { signal: task.signal, cwd: dir });
    });
  await ensureDirectory(target, fill, task.signal);
  const eslint = join(target, 'node_modules/eslint/bin/eslint.js');
  const args = [eslint, '--config', join(target, 'eslint.config.mjs'), '--max-warnings=0', '.'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
