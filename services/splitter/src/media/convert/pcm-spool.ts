/**
 * Decoded samples on disk: written once by the decoder, read once by encoders, several at a time and also while
 * they are being written, and deleted behind the last of them.
 *
 * The samples lie in a row of files of one size, so that dropping means deleting whole files. The decoder runs
 * ahead of the slowest reader by at most `maxAheadBytes`, whatever the length of the source; beyond that it waits
 * on its full pipe.
 *
 * Files are read and written at once instead of through the thread pool: the pieces are small, they come from and go
 * to the page cache, and the way to another thread and back costs more than that.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_FILE_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 256 * 1024;

export interface PcmSpool extends AsyncDisposable {
  /** Waits until the source is known to reach `byte`, or to have ended. Rejects where decoding failed. */
  reaches(byte: number): Promise<boolean>;
  /** Once the source has ended. */
  readonly totalBytes: number | undefined;
  /**
   * The bytes from `startByte` on: up to `surelyUpTo` as they come, the rest when `end` has settled. To be taken in
   * order; every byte is given once, but for the `leadInBytes` before `startByte`, with which a reader begins.
   */
  take(
    startByte: number,
    surelyUpTo: number,
    end: Promise<number>,
    leadInBytes?: number,
  ): AsyncGenerator<Buffer>;
  /** Given to readers so far, without a gap from the beginning. */
  readonly consumedBytes: number;
}

export interface PcmSpoolOptions {
  readonly maxAheadBytes: number;
  /** The most that a reader may ask for of what lies before its range. */
  readonly maxLeadInBytes?: number;
  readonly chunkFileBytes?: number;
}

interface ReaderEnd {
  byte: number | undefined;
  failure: { readonly error: unknown } | undefined;
}

/** Disposing waits for the source, which must have ended or been stopped by then. */
export function createPcmSpool(
  pcm: AsyncIterable<Buffer>,
  dir: string,
  { maxAheadBytes, maxLeadInBytes = 0, chunkFileBytes = CHUNK_FILE_BYTES }: PcmSpoolOptions,
): PcmSpool {
  const path = (file: number): string => join(dir, `pcm-${file}`);
  const readers = new Set<{ position: number }>();
  let changed = Promise.withResolvers<void>();
  let filledBytes = 0;
  let hasEnded = false;
  let isClosed = false;
  let failure: { readonly error: unknown } | undefined;
  let readUpTo = 0;
  let firstFile = 0;
  let writer: number | undefined;

  function announce(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function consumed(): number {
    return readers.size === 0 ? readUpTo : Math.min(...[...readers].map((reader) => reader.position));
  }

  function closeWriter(): void {
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
  }

  function append(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      const position = filledBytes % chunkFileBytes;
      if (position === 0) closeWriter();
      writer ??= openSync(path(filledBytes / chunkFileBytes), 'w');
      const written = writeSync(writer, rest, 0, Math.min(rest.length, chunkFileBytes - position));
      filledBytes += written;
      rest = rest.subarray(written);
    }
    announce();
  }

  async function fill(): Promise<void> {
    const chunks = pcm[Symbol.asyncIterator]();
    for (let coming = chunks.next(); ; ) {
      const next = await coming;
      if (next.done === true || isClosed) return;
      coming = chunks.next();
      // It is awaited after the write, which may fail.
      coming.catch(() => undefined);
      append(next.value);
      while (filledBytes - consumed() >= maxAheadBytes && !isClosed) await changed.promise;
    }
  }

  async function dropConsumed(): Promise<void> {
    const keep = Math.floor((consumed() - maxLeadInBytes) / chunkFileBytes);
    while (firstFile < keep) {
      const file = firstFile;
      firstFile += 1;
      await rm(path(file), { force: true });
    }
  }

  /** From here on, not from the first read: that may never come, and a rejection must not go unhandled. */
  function watchEnd(end: Promise<number>): ReaderEnd {
    const watched: ReaderEnd = { byte: undefined, failure: undefined };
    end.then(
      (byte) => {
        watched.byte = byte;
        announce();
      },
      (error: unknown) => {
        watched.failure = { error };
        announce();
      },
    );
    return watched;
  }

  async function* read(
    reader: { position: number },
    leadInBytes: number,
    surelyUpTo: number,
    end: ReaderEnd,
  ): AsyncGenerator<Buffer> {
    let file: number | undefined;
    const close = (): void => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    };
    let at = reader.position - leadInBytes;
    try {
      while (end.byte === undefined || at < end.byte) {
        if (end.failure !== undefined) throw end.failure.error;
        const available = Math.min(filledBytes, end.byte ?? surelyUpTo) - at;
        if (available <= 0) {
          await changed.promise;
          continue;
        }
        const position = at % chunkFileBytes;
        if (position === 0 || file === undefined) {
          close();
          file = openSync(path(Math.floor(at / chunkFileBytes)), 'r');
          await dropConsumed();
        }
        const wanted = Math.min(available, READ_BYTES, chunkFileBytes - position);
        const buffer = Buffer.allocUnsafeSlow(wanted);
        const bytesRead = readSync(file, buffer, 0, wanted, position);
        if (bytesRead === 0) throw new Error('decoded samples are gone');
        at += bytesRead;
        reader.position = Math.max(reader.position, at);
        announce();
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      readUpTo = Math.max(readUpTo, reader.position);
      readers.delete(reader);
      announce();
      close();
    }
  }

  const filling = fill().then(
    () => {
      hasEnded = true;
      announce();
    },
    (error: unknown) => {
      failure = { error };
      announce();
    },
  );

  return {
    async reaches(byte) {
      for (;;) {
        if (filledBytes >= byte) return true;
        if (failure !== undefined) throw failure.error;
        if (hasEnded) return false;
        await changed.promise;
      }
    },
    get totalBytes() {
      return hasEnded ? filledBytes : undefined;
    },
    take(startByte, surelyUpTo, end, leadInBytes = 0) {
      if (leadInBytes > Math.min(maxLeadInBytes, startByte)) throw new RangeError('the lead-in is gone');
      const reader = { position: startByte };
      readers.add(reader);
      return read(reader, leadInBytes, surelyUpTo, watchEnd(end));
    },
    get consumedBytes() {
      return consumed();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      announce();
      await filling;
      closeWriter();
      for (const end = Math.ceil(filledBytes / chunkFileBytes); firstFile < end; firstFile += 1)
        await rm(path(firstFile), { force: true });
    },
  };
}
