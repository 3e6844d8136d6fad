import { tmpdir } from 'node:os';
import type { Task } from './engine.ts';
import { findExecutable } from './executable.ts';
import { ProvisionError } from './provision-error.ts';
import { runTool } from './run-tool.ts';

/** Resolves with the folder of a module's sources, `path@version`, which is Go's own cache. Throws ProvisionError. */
export async function downloadModule(module: string, task: Task): Promise<string> {
  const go = findExecutable('go');
  if (go === undefined) {
    throw new ProvisionError(`${module} is a Go module: install Go from https://go.dev/dl/`);
  }
  const answer = await task.step(`downloading ${module}`, () =>
    runTool(go, ['mod', 'download', '-json', module], {
      signal: task.signal,
      cwd: tmpdir(),
      environment: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' },
    }),
  );
  return (JSON.parse(answer.slice(answer.indexOf('{'))) as { readonly Dir: string }).Dir;
}
