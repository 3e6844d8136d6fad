import { createReadStream } from 'node:fs';
import { type FileHandle, link, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SourceContainer } from '../../formats/formats.ts';
import type { AbsentBytes, LocalFile } from '../../source/local-file.ts';
import { createWriteBehind, type WriteBehind } from '../encode/write-behind.ts';

/** The whole source in the working folder. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly container: SourceContainer;
  readonly sizeBytes: number;
  /** Of a source that is fetched where a copy reads it; it is complete before anything else reads it. */
  readonly absent?: AbsentBytes;
}

/**
 * Writes the chunks that pass through it to a file, so that another route can start over. The file is created
 * with the first chunk.
 */
export interface SourceSpool extends AsyncDisposable {
  /** Yields the same chunks; they are written while the next ones are requested. */
  tee(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  readonly sizeBytes: number;
  /** Stops storing: no other route will be taken. */
  release(): void;
  /** Waits for the last write; the file is complete then. */
  finish(container: SourceContainer): Promise<SourceFile>;
}

/** `existing`: the file is there already, so nothing is written. */
export function createSourceSpool(path: string, existing?: SourceFile): SourceSpool {
  let sizeBytes = 0;
  let isKept = existing === undefined;
  /** Set at the call, so that a file which is still being opened is closed too. */
  let opening: Promise<{ readonly handle: FileHandle; readonly writer: WriteBehind }> | undefined;
  let closing: Promise<void> | undefined;

  async function openFile() {
    const handle = await open(path, 'wx');
    return { handle, writer: createWriteBehind(handle) };
  }

  async function write(chunk: Uint8Array): Promise<void> {
    opening ??= openFile();
    const { writer } = await opening;
    if (isKept) await writer.write([chunk]);
  }

  async function close(file: ReturnType<typeof openFile>): Promise<void> {
    const { handle, writer } = await file;
    closing ??= writer.settle().finally(() => handle.close());
    await closing;
  }

  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async *tee(source) {
      for await (const chunk of source) {
        sizeBytes += chunk.byteLength;
        if (isKept) await write(chunk);
        yield chunk;
      }
    },
    release() {
      isKept = false;
    },
    async finish(container) {
      if (existing !== undefined) return existing;
      opening ??= openFile();
      await close(opening);
      return { path, name: basename(path), container, sizeBytes };
    },
    async [Symbol.asyncDispose]() {
      isKept = false;
      // The written bytes no longer matter.
      if (opening !== undefined) await close(opening).catch(() => undefined);
    },
  };
}

/**
 * The same for a file on this machine: nothing is written if `path` can be a link to it. The chunks that pass through
 * must be the file's.
 */
export async function openSourceSpool(
  path: string,
  container: SourceContainer,
  file: LocalFile | undefined,
): Promise<SourceSpool> {
  if (file === undefined || file.absent !== undefined) return createSourceSpool(path);
  try {
    await link(file.path, path);
  } catch {
    return createSourceSpool(path);
  }
  return createSourceSpool(path, { path, name: basename(path), container, sizeBytes: file.sizeBytes });
}

/** Reads bytes [start, start + length) of a file; fewer if the file ends. */
export async function readRange(path: string, start: number, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (length <= 0) return Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { start, end: start + length - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
