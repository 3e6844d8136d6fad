/**
 * Streams stored objects as a zip. It opens one object at a time and reads at the pace of the client.
 *
 * Entries are stored uncompressed, because audio does not shrink, so the length of the zip is known in advance.
 * Checksums follow each entry (data descriptors). If an object is missing, breaks off or has an unexpected size, the
 * stream breaks off too, and the client notices by the length.
 */
import { getDefaultHighWaterMark, type Readable, setDefaultHighWaterMark, Transform } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ArchiveEntry {
  readonly name: string;
  readonly sizeBytes: number;
}

declare module 'yazl' {
  interface ZipFile {
    // The typings omit the size.
    end(options: { readonly forceZip64Format: boolean }, onSize: (sizeBytes: number) => void): void;
  }
}

/** Calls `open` when an entry is reached. Destroying the stream also destroys the open object. */
export function createArchive<E extends ArchiveEntry>(
  entries: readonly E[],
  modifiedAt: Date,
  open: (entry: E) => Promise<Readable>,
): Readable {
  const zip = withSmallBuffers(() => new ZipFile());
  // The typings declare a narrower type.
  const archive = zip.outputStream as Readable;
  let reading: Readable | undefined;
  const fail = (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error)));
  archive.once('close', () => reading?.destroy());
  zip.once('error', fail);
  const begin = async (entry: E, onOpened: OnOpened) => {
    try {
      const body = await open(entry);
      reading = body;
      body.once('error', fail);
      if (archive.destroyed) body.destroy();
      else withSmallBuffers(() => onOpened(null, body.pipe(smallChunks())));
    } catch (error) {
      fail(error);
    }
  };
  addEntries(zip, entries, modifiedAt, (entry, onOpened) => void begin(entry, onOpened));
  return archive;
}

/** Small, so that a slow reader's archive holds less than 256 KiB in all of its streams together. */
const BUFFER_BYTES = 16 * 1024;

/** The streams that `create` creates cannot be given a buffer size. */
function withSmallBuffers<T>(create: () => T): T {
  const usual = getDefaultHighWaterMark(false);
  setDefaultHighWaterMark(false, BUFFER_BYTES);
  try {
    return create();
  } finally {
    setDefaultHighWaterMark(false, usual);
  }
}

/** Each stream holds at least one chunk, however large it is. */
function smallChunks(): Transform {
  return new Transform({
    highWaterMark: BUFFER_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      for (let first = 0; first < chunk.length; first += BUFFER_BYTES) {
        this.push(chunk.subarray(first, first + BUFFER_BYTES));
      }
      done();
    },
  });
}

/** Length of the whole zip. */
export function archiveSizeBytes(entries: readonly ArchiveEntry[]): number {
  const sizeBytes = addEntries(new ZipFile(), entries, new Date(), () => undefined);
  if (sizeBytes === undefined) throw new Error('an archive of entries of known sizes has a known size');
  return sizeBytes;
}

type OnOpened = (error: null, stream: Readable) => void;

function addEntries<E extends ArchiveEntry>(
  zip: ZipFile,
  entries: readonly E[],
  modifiedAt: Date,
  open: (entry: E, onOpened: OnOpened) => void,
): number | undefined {
  for (const entry of entries) {
    const options = { compress: false, size: entry.sizeBytes, mtime: modifiedAt };
    zip.addReadStreamLazy(entry.name, options, (onOpened) => open(entry, onOpened));
  }
  let sizeBytes: number | undefined;
  zip.end({ forceZip64Format: mayNeedZip64(entries) }, (size) => {
    sizeBytes = size;
  });
  return sizeBytes;
}

/** Length of an entry's directory record without its name: fixed part, time, and 64-bit sizes. */
const DIRECTORY_ENTRY_BYTES = 46 + 9 + 28;

/**
 * yazl 3.3.1: beyond 64 KiB of directory it includes 64-bit records in the size, but writes them only when
 * forced to.
 */
function mayNeedZip64(entries: readonly ArchiveEntry[]): boolean {
  const directoryBytes = entries.reduce(
    (sum, { name }) => sum + DIRECTORY_ENTRY_BYTES + Buffer.byteLength(name),
    0,
  );
  return directoryBytes >= 0xffff;
}
