import { tmpdir } from 'node:os';
import { ensureGo, INSTALLED_GO } from './go-toolchain.ts';
import { runTool } from './run-tool.ts';
import type { Task } from './task.ts';

/** The first version that can read current go.mod files. */
const MINIMUM_GO = '1.21';

/** Resolves with the folder of a module's sources, `path@version`, which is Go's own cache. Throws ProvisionError. */
export async function downloadModule(module: string, task: Task): Promise<string> {
  const go = await ensureGo(MINIMUM_GO, task);
  const answer = await task.step(`downloading ${module}`, () =>
    runTool(go, ['mod', 'download', '-json', module], {
      signal: task.signal,
      cwd: tmpdir(),
      environment: { ...INSTALLED_GO, GOFLAGS: '-mod=mod' },
    }),
  );
  return (JSON.parse(answer.slice(answer.indexOf('{'))) as { readonly Dir: string }).Dir;
}
