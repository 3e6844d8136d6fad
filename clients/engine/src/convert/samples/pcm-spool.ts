/**
 * Decoded samples on disk. The decoder writes them once; encoders read them once, several at a time and also
 * while they are being written. They are deleted after the last reader.
 *
 * The samples lie in a row of files: one per segment if segments are not too long. A segment that is complete
 * can then be given to its encoder as a file, and its samples do not pass through this process again. Samples
 * are dropped by deleting whole files. The decoder runs ahead of the slowest reader by at most
 * `maxAheadBytes`, regardless of the source's length; beyond that its pipe is full and it waits.
 *
 * A reader may begin with a few samples before its range. Every file begins with those; the first begins with
 * silence.
 *
 * Files are read and written synchronously, not in the thread pool: the pieces are small and in the page
 * cache, so a round trip to another thread would cost more.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeferred } from '../../deferred.ts';
import type { SampleChunks } from '../conversion.ts';

const READ_BYTES = 256 * 1024;

interface PcmSpool extends AsyncDisposable {
  /** Waits until the source is known to reach `byte`, or has ended. Rejects if decoding failed. */
  reaches(byte: number): Promise<boolean>;
  /** Whether `reaches` would not wait for `byte`. */
  isKnown(byte: number): boolean;
  /** Once the source has ended. */
  readonly totalBytes: number | undefined;
  /**
   * The bytes from `startByte` on: up to `surelyUpTo` as they arrive, the rest when `end` has settled. Ranges
   * must be taken in order. Every byte is returned once, except for the `leadInBytes` before `startByte`,
   * with which a reader begins.
   */
  take(
    startByte: number,
    surelyUpTo: number,
    end: Promise<number>,
    leadInBytes?: number,
  ): AsyncGenerator<Buffer>;
  /** The same as a file, if a file holds exactly these bytes; else undefined. */
  takeFile(startByte: number, endByte: number, leadInBytes?: number): TakenFile | undefined;
  /** The bytes given to readers so far, without a gap from the beginning. */
  readonly consumedBytes: number;
}

/** Dispose of it after reading. */
export interface TakenFile extends AsyncDisposable {
  /** Positioned where the reader begins; the file ends with the reader's range. */
  readonly file: number;
}

interface PcmSpoolOptions {
  readonly maxAheadBytes: number;
  /** The maximum that a reader may request before its range. */
  readonly maxLeadInBytes?: number;
  /** The end of the file that begins with `startByte`. */
  readonly fileEnd: (startByte: number) => number;
}

interface SpoolFile {
  readonly path: string;
  readonly start: number;
  readonly plannedEnd: number;
}

interface ReaderEnd {
  byte: number | undefined;
  failure: { readonly error: unknown } | undefined;
}

/** Disposing waits for the source, which must have ended or been stopped by then. */
export function createPcmSpool(
  { chunks: pcm, free }: SampleChunks,
  dir: string,
  { maxAheadBytes, maxLeadInBytes = 0, fileEnd }: PcmSpoolOptions,
): PcmSpool {
  /** The files that are not deleted, in order. */
  const files: SpoolFile[] = [];
  let fileCount = 0;
  /** The last bytes written: the next file begins with them. */
  let leadIn = Buffer.alloc(maxLeadInBytes);
  const readers = new Set<{ position: number }>();
  let changed = createDeferred();
  let filledBytes = 0;
  let hasEnded = false;
  let isClosed = false;
  let failure: { readonly error: unknown } | undefined;
  let readUpTo = 0;
  let writer: number | undefined;

  function announce(): void {
    changed.resolve();
    changed = createDeferred();
  }

  function consumed(): number {
    return readers.size === 0 ? readUpTo : Math.min(...[...readers].map((reader) => reader.position));
  }

  function closeWriter(): void {
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
  }

  function openNext(): SpoolFile {
    closeWriter();
    const next = {
      path: join(dir, `pcm-${fileCount}`),
      start: filledBytes,
      plannedEnd: fileEnd(filledBytes),
    };
    fileCount += 1;
    files.push(next);
    writer = openSync(next.path, 'w');
    writeFully(writer, leadIn);
    return next;
  }

  function append(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      const last = files.at(-1);
      const current = last === undefined || filledBytes === last.plannedEnd ? openNext() : last;
      const part = rest.subarray(0, current.plannedEnd - filledBytes);
      writeFully(writer, part);
      filledBytes += part.length;
      rest = rest.subarray(part.length);
      if (maxLeadInBytes > 0)
        leadIn = Buffer.concat([leadIn, part.subarray(-maxLeadInBytes)]).subarray(-maxLeadInBytes);
    }
    announce();
  }

  function fileHolding(byte: number): SpoolFile | undefined {
    return files.find(({ start, plannedEnd }) => start <= byte && byte < plannedEnd);
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
      free(next.value);
      while (filledBytes - consumed() >= maxAheadBytes && !isClosed) await changed.promise;
    }
  }

  async function dropConsumed(): Promise<void> {
    const keepFrom = consumed();
    for (let [first] = files; first !== undefined && first.plannedEnd <= keepFrom; [first] = files) {
      files.shift();
      await rm(first.path, { force: true });
    }
  }

  /**
   * Handled from here on, not from the first read: that may never come, and a rejection must not go
   * unhandled.
   */
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
    let held: SpoolFile | undefined;
    const close = (): void => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    };
    let at = reader.position - leadInBytes;
    try {
      while (end.byte === undefined || at < end.byte) {
        if (end.failure !== undefined) throw end.failure.error;
        const available = Math.min(filledBytes, end.byte ?? surelyUpTo) - at;
        // A lead-in is returned only together with the bytes after it.
        if (available <= (at < reader.position ? leadInBytes : 0)) {
          await changed.promise;
          continue;
        }
        if (held === undefined || file === undefined || at === held.plannedEnd) {
          close();
          held = fileHolding(reader.position);
          if (held === undefined) throw new Error('decoded samples are gone');
          file = openSync(held.path, 'r');
          await dropConsumed();
        }
        const wanted = Math.min(available, READ_BYTES, held.plannedEnd - at);
        const buffer = Buffer.allocUnsafeSlow(wanted);
        const bytesRead = readSync(file, buffer, 0, wanted, maxLeadInBytes + at - held.start);
        if (bytesRead === 0) throw new Error('decoded samples are gone');
        at += bytesRead;
        reader.position = Math.max(reader.position, at);
        announce();
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      release(reader);
      close();
    }
  }

  function register(startByte: number, leadInBytes: number): { position: number } {
    if (leadInBytes > maxLeadInBytes) throw new RangeError('the lead-in is gone');
    const reader = { position: startByte };
    readers.add(reader);
    return reader;
  }

  function release(reader: { position: number }): void {
    readUpTo = Math.max(readUpTo, reader.position);
    readers.delete(reader);
    announce();
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
    isKnown: (byte) => filledBytes >= byte || hasEnded,
    get totalBytes() {
      return hasEnded ? filledBytes : undefined;
    },
    take(startByte, surelyUpTo, end, leadInBytes = 0) {
      return read(register(startByte, leadInBytes), leadInBytes, surelyUpTo, watchEnd(end));
    },
    takeFile(startByte, endByte, leadInBytes = 0) {
      const held = fileHolding(startByte);
      const fileEndsAt = Math.min(held?.plannedEnd ?? 0, filledBytes);
      if (held?.start !== startByte || fileEndsAt !== endByte) return undefined;
      const reader = register(startByte, leadInBytes);
      const file = openSync(held.path, 'r');
      skip(file, maxLeadInBytes - leadInBytes);
      return {
        file,
        async [Symbol.asyncDispose]() {
          closeSync(file);
          reader.position = endByte;
          release(reader);
          await dropConsumed();
        },
      };
    },
    get consumedBytes() {
      return consumed();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      announce();
      await filling;
      closeWriter();
      for (const { path } of files) await rm(path, { force: true });
    },
  };
}

function writeFully(file: number | undefined, bytes: Buffer): void {
  if (file === undefined) throw new Error('no file is open');
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Moves the file position, which is shared with the child that is given the file. */
function skip(file: number, byteCount: number): void {
  const buffer = Buffer.allocUnsafe(byteCount);
  for (let left = byteCount; left > 0; ) {
    const bytesRead = readSync(file, buffer, 0, left, null);
    if (bytesRead === 0) throw new Error('decoded samples are gone');
    left -= bytesRead;
  }
}
