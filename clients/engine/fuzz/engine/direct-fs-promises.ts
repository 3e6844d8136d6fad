/**
 * `node:fs/promises` with synchronous open, read and write. The files are real; only the thread pool is left
 * out, which costs more than ten times the system call for files of a few hundred bytes.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { READ_LIMIT } from './read-limit.ts';

export * from 'node:fs/promises';

type Bytes = NodeJS.ArrayBufferView;

interface DirectFile extends AsyncDisposable {
  readonly fd: number;
  read(bytes: Bytes, offset: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
  write(
    bytes: Bytes,
    offset?: number,
    length?: number,
    position?: number | null,
  ): Promise<{ bytesWritten: number }>;
  writev(parts: readonly Bytes[], position?: number | null): Promise<{ bytesWritten: number }>;
  truncate(length?: number): Promise<void>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

export async function open(path: string, flags = 'r'): Promise<DirectFile> {
  const fd = openSync(path, flags);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    fd,
    async read(bytes, offset, length, position) {
      READ_LIMIT.spend(1);
      return { bytesRead: readSync(fd, bytes, offset, length, position) };
    },
    write: async (bytes, offset, length, position) => ({
      bytesWritten: writeSync(fd, bytes, offset, length, position),
    }),
    writev: async (parts, position) => ({ bytesWritten: writevSync(fd, parts, position ?? undefined) }),
    truncate: async (length) => ftruncateSync(fd, length),
    stat: async () => ({ size: fstatSync(fd).size }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export async function rm(path: string, options?: { force?: boolean; recursive?: boolean }): Promise<void> {
  rmSync(path, options);
}
