/** Converts sources as callers have them to the engine's form. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { LocalFile } from '../source/local-file.ts';

/** A file by its path, or bytes as they arrive. */
export type Source = string | AsyncIterable<Uint8Array>;

export interface OpenedSource {
  readonly source: LocalFile | AsyncIterable<Uint8Array>;
  /** For the names of the segments. */
  readonly fileName: string;
}

/** Throws if there is no such file. `name`: for a source that has no path. */
export async function openSource(source: Source, name = 'audio'): Promise<OpenedSource> {
  if (typeof source !== 'string') {
    // A stream of a file has a path, and the engine would mistake it for the file.
    const chunks = { [Symbol.asyncIterator]: () => source[Symbol.asyncIterator]() };
    return { source: chunks, fileName: name };
  }
  const path = resolve(source);
  const stats = await stat(path);
  if (!stats.isFile()) throw new TypeError(`${path} is no file`);
  const modifiedAtMs = stats.mtime.getTime();
  return { source: { path, sizeBytes: stats.size, modifiedAtMs }, fileName: basename(path) };
}
