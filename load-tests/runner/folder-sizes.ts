/** The sizes of the folders of a run's own installation. */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskReading } from '../analysis/resource-measures.ts';
import type { Watched } from './resource-sampler.ts';

/** `scratch` must become empty repeatedly; the others keep files for the configured time. */
export async function watchedFolders(dataDir: string): Promise<readonly Watched[]> {
  const engines = join(dataDir, 'engines');
  const ofEngines = (await entriesOf(engines)).filter((entry) => entry.isDirectory());
  const folders = [
    ['scratch', join(dataDir, 'scratch')],
    ['logs', join(dataDir, 'logs')],
    ...ofEngines.map(({ name }) => [name, join(engines, name)] as const),
  ] as const;
  return folders.map(([name, path]) => ({
    name: `${name}/`,
    look: async (signal) => diskReading(name === 'scratch' ? 'scratch' : 'disk', await bytesIn(path, signal)),
  }));
}

/** Files that disappear meanwhile or cannot be read count as 0. */
export async function bytesIn(folder: string, signal?: AbortSignal): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesOf(folder)) {
    signal?.throwIfAborted();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path, signal);
    else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
