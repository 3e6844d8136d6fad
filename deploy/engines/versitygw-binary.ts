import { join } from 'node:path';
import { cacheDir, ensureDirectory } from './cache.ts';
import { candidateVersion, installPackages } from './debian-packages.ts';
import type { Task } from './engine.ts';
import { findExecutable } from './executable.ts';
import { ProvisionError } from './provision-error.ts';
import { runTool } from './run-tool.ts';
import { versions } from './versions.ts';

/** Builds the pinned versitygw once; resolves with the path of the program. */
export async function ensureVersitygw(task: Task): Promise<string> {
  const dir = join(cacheDir(), 'bin', `versitygw-${versions.versitygw}`);
  await ensureDirectory(dir, async (partial) => {
    const go = await ensureGo(task);
    await task.step(`building versitygw ${versions.versitygw} (a minute or two)`, () =>
      runTool(go, ['install', `github.com/versity/versitygw/cmd/versitygw@v${versions.versitygw}`], {
        signal: task.signal,
        environment: { GOBIN: partial, GOTOOLCHAIN: 'local' },
      }),
    );
  });
  return join(dir, 'versitygw');
}

/** Compares dotted versions by their numbers; what follows them (`1.19~1`, `1.26rc1`) does not count. */
export function isVersionAtLeast(version: string, minimum: string): boolean {
  const numbers = (text: string) => (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const actual = numbers(version);
  const wanted = numbers(minimum);
  const differing = wanted.findIndex((number, index) => (actual[index] ?? 0) !== number);
  return differing === -1 || (actual[differing] ?? 0) > (wanted[differing] ?? 0);
}

async function ensureGo(task: Task): Promise<string> {
  if (findExecutable('go') === undefined) {
    const offered = await candidateVersion('golang-go', task);
    if (offered !== undefined && isVersionAtLeast(offered, versions.minimumGo)) {
      await installPackages(['golang-go'], 'Go', task);
    }
  }
  const go = findExecutable('go');
  if (go === undefined) throw missingGo('there is none in PATH and apt has no such version');
  const output = await runTool(go, ['version'], {
    signal: task.signal,
    environment: { GOTOOLCHAIN: 'local' },
  });
  const version = /\bgo(\d+(?:\.\d+)*)/.exec(output)?.[1] ?? '';
  if (!isVersionAtLeast(version, versions.minimumGo)) throw missingGo(`${go} is ${version}`);
  return go;
}

function missingGo(found: string): ProvisionError {
  return new ProvisionError(
    `versitygw ${versions.versitygw} needs Go ${versions.minimumGo} or newer to be built, ${found}: install it from https://go.dev/dl/`,
  );
}
