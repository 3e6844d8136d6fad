/** The bytes of a local source. Each attempt of an upload reads them from the beginning. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createCleanupStack } from '@audiosplit/engine/cleanup-stack';
import { messageOf } from '../message-of.ts';
import { UsageError } from '../usage.ts';

/** Stays open until it is disposed of, also if the file is moved or removed. */
export interface SourceFile extends AsyncDisposable {
  /** A plain file name. */
  readonly name: string;
  /** More than 0. */
  readonly sizeBytes: number;
  /** At most `sizeBytes`, even if the file grows. Throws SourceError if it has become shorter. */
  read(): AsyncIterable<Uint8Array>;
}

/** The source cannot be read to its end; its message is one line. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

const CHUNK_BYTES = 256 * 1024;

/** Throws UsageError if there is nothing to split. */
export async function openSourceFile(path: string): Promise<SourceFile> {
  const found = await stat(path).catch((error: unknown) => refuse(path, error));
  if (found.isDirectory()) throw new UsageError(`${path} is a folder: name the files in it`);
  // Opening a pipe would wait for a writer.
  if (!found.isFile()) throw new UsageError(`${path} is no regular file: for a pipe give - as the source`);
  await using opening = createCleanupStack();
  const handle = opening.use(await open(path).catch((error: unknown) => refuse(path, error)));
  const { size: sizeBytes } = await handle.stat();
  if (sizeBytes === 0) throw new UsageError(`${path} is empty`);
  const opened = opening.move();
  return {
    name: basename(path),
    sizeBytes,
    async *read() {
      for (let position = 0; position < sizeBytes; ) {
        const length = Math.min(CHUNK_BYTES, sizeBytes - position);
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
        if (bytesRead === 0) throw new SourceError(`${path} has become shorter while it was read`);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/**
 * Stores a whole stream in a temporary file: its size must be known, and an interrupted upload starts again.
 * Throws UsageError, SourceError.
 */
export async function keepInput(
  input: Readable & { readonly isTTY?: boolean },
  signal: AbortSignal,
): Promise<SourceFile> {
  if (input.isTTY === true) {
    throw new UsageError('- reads from standard input, which is a terminal: direct a file or a pipe into it');
  }
  await using keeping = createCleanupStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-stdin-'));
  keeping.defer(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'stdin');
  let bytes = 0;
  input.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
  });
  await pipeline(input, createWriteStream(path, { mode: 0o600 }), { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new SourceError(`standard input cannot be read to its end (${messageOf(error)})`);
  });
  if (bytes === 0) throw new UsageError('standard input is empty');
  const file = keeping.use(await openSourceFile(path));
  const kept = keeping.move();
  return {
    name: file.name,
    sizeBytes: file.sizeBytes,
    read: () => file.read(),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

function refuse(path: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') throw new UsageError(`there is no file ${path}`);
  if (code === 'EACCES' || code === 'EPERM') throw new UsageError(`you may not read ${path}`);
  throw new UsageError(`cannot read ${path} (${messageOf(error)})`);
}
