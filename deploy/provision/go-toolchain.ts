/**
 * Finds a Go that is new enough: the one in PATH, else Debian's, else a release from Go's module proxy, where `go` itself
 * finds newer releases (https://go.dev/doc/toolchain).
 */
import { createWriteStream } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import { sha256OfFile } from '@audiosplit/chassis/file-digest';
import { cacheDir, ensureDirectory } from './cache.ts';
import { candidateVersion, installPackages } from './debian-packages.ts';
import { ensureDebianProgram } from './debian-program.ts';
import { findExecutable } from './executable.ts';
import { ProvisionError } from './provision-error.ts';
import { runTool } from './run-tool.ts';
import type { Task } from './task.ts';
import { versions } from './versions.ts';

export const INSTALLED_GO = { GOTOOLCHAIN: 'local' };

const DEFAULT_PROXY = 'https://proxy.golang.org';
/** Go's names of the architectures, and the checksums of the zips, which are the same at every proxy. */
const PLATFORMS: Readonly<Record<string, { readonly architecture: string; readonly sha256: string }>> = {
  x64: { architecture: 'amd64', sha256: versions.goZipSha256.amd64 },
  arm64: { architecture: 'arm64', sha256: versions.goZipSha256.arm64 },
};

/** Resolves with the path of a `go` of that version or newer. Throws ProvisionError if there is none. */
export async function ensureGo(minimum: string, task: Task): Promise<string> {
  const found = findExecutable('go');
  if (found !== undefined && (await isNewEnough(found, minimum, task))) return found;
  if (found === undefined) {
    const offered = await candidateVersion('golang-go', task);
    if (offered !== undefined && isVersionAtLeast(offered, minimum)) {
      await installPackages(['golang-go'], 'Go', task);
      const installed = findExecutable('go');
      if (installed !== undefined) return installed;
    }
  }
  const platform = PLATFORMS[process.arch];
  if (platform === undefined || process.platform !== 'linux' || !isVersionAtLeast(versions.go, minimum)) {
    throw new ProvisionError(`this needs Go ${minimum} or newer: install it from https://go.dev/dl/`);
  }
  return await provideGo(platform, task);
}

/** Compares dotted versions by their numbers; what follows them (`1.19~1`, `1.26rc1`) does not count. */
export function isVersionAtLeast(version: string, minimum: string): boolean {
  const numbers = (text: string) => (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const actual = numbers(version);
  const wanted = numbers(minimum);
  const differing = wanted.findIndex((number, index) => (actual[index] ?? 0) !== number);
  return differing === -1 || (actual[differing] ?? 0) > (wanted[differing] ?? 0);
}

/** The first URL in GOPROXY, which may contain `direct` and `off` as well. */
export function moduleProxy(environment: NodeJS.ProcessEnv = process.env): string {
  const listed = (environment.GOPROXY ?? '').split(/[,|]/);
  return (listed.find((entry) => /^https?:\/\//.test(entry)) ?? DEFAULT_PROXY).replace(/\/$/, '');
}

async function isNewEnough(go: string, minimum: string, { signal }: Task): Promise<boolean> {
  const output = await runTool(go, ['version'], { signal, environment: INSTALLED_GO });
  return isVersionAtLeast(/\bgo(\d+(?:\.\d+)*)/.exec(output)?.[1] ?? '', minimum);
}

async function provideGo({ architecture, sha256 }: (typeof PLATFORMS)[string], task: Task): Promise<string> {
  const folder = join(cacheDir(), `go-${versions.go}`);
  const fill = async (partial: string) => {
    const unzip = await ensureDebianProgram({ title: 'unzip', names: ['unzip'], packageName: 'unzip' }, task);
    const version = `v0.0.1-go${versions.go}.linux-${architecture}`;
    const zip = join(partial, 'go.zip');
    await task.step(`downloading Go ${versions.go}`, async () => {
      await download(`${moduleProxy()}/golang.org/toolchain/@v/${version}.zip`, zip, task);
      const actual = await sha256OfFile(zip);
      if (actual !== sha256)
        throw new ProvisionError(`Go ${versions.go} has another checksum than the pinned one: ${actual}`);
      await runTool(unzip, ['-q', zip, '-d', partial], task);
    });
    await rm(zip);
    const root = join(partial, `golang.org/toolchain@${version}`);
    for (const name of await readdir(root)) await rename(join(root, name), join(partial, name));
    await rm(join(partial, 'golang.org'), { recursive: true });
    // Modules hold no executables.
    const tools = join(partial, `pkg/tool/linux_${architecture}`);
    for (const dir of [join(partial, 'bin'), tools]) {
      for (const name of await readdir(dir)) await chmod(join(dir, name), 0o755);
    }
  };
  await ensureDirectory(folder, fill, task.signal);
  return join(folder, 'bin/go');
}

async function download(url: string, path: string, { signal }: Task): Promise<void> {
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ProvisionError(`${url} cannot be reached: ${causeOf(error)}; set GOPROXY to a proxy that can`);
  });
  if (!response.ok || response.body === null) {
    throw new ProvisionError(`${url} answers ${response.status}: set GOPROXY to a proxy that has it`);
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path), { signal });
}

/** The error of fetch says only that it failed; its cause says why. */
function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
