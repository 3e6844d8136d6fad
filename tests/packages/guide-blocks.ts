import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { type CodeBlock, codeBlocksOf } from '../../gateway/console/src/guide/code-blocks.ts';

/** The code blocks of a guide page that should be run. */
export async function blocksToRun(page: string): Promise<readonly CodeBlock[]> {
  const markdown = await readFile(join(repositoryRoot, 'docs/guide', page), 'utf8');
  return codeBlocksOf(markdown).filter(({ role }) => role === 'run');
}
