/**
 * A zip of stored objects, made while it is sent: one object is open at a time, at the pace of the reader.
 *
 * Audio does not shrink, so entries are stored as they are, which makes the length of the whole known beforehand. Their
 * checksums are not, so they follow each entry (data descriptors); readers that go by the directory at the end, as
 * nearly all do, find everything there. An object that is gone, breaks off or has another size than was said breaks the
 * archive off: a reader notices by the length.
 */
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ArchiveEntry {
  readonly name: string;
  readonly sizeBytes: number;
}

declare module 'yazl' {
  interface ZipFile {
    // The typings leave the size out.
    end(options: { readonly forceZip64Format: boolean }, tell: (sizeBytes: number) => void): void;
  }
}

/** `open` is called for each entry when it is its turn. Destroy the stream to stop: the open object goes with it. */
export function createArchive<E extends ArchiveEntry>(
  entries: readonly E[],
  modifiedAt: Date,
  open: (entry: E) => Promise<Readable>,
): Readable {
  const zip = new ZipFile();
  // The typings know less of the stream than it is.
  const archive = zip.outputStream as Readable;
  let reading: Readable | undefined;
  const fail = (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error)));
  archive.once('close', () => reading?.destroy());
  zip.once('error', fail);
  const begin = async (entry: E, onOpened: OnOpened) => {
    try {
      reading = await open(entry);
      reading.once('error', fail);
      if (archive.destroyed) reading.destroy();
      else onOpened(null, reading);
    } catch (error) {
      fail(error);
    }
  };
  addEntries(zip, entries, modifiedAt, (entry, onOpened) => void begin(entry, onOpened));
  return archive;
}

/** Of the archive of these entries, in bytes. */
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

/** Bytes of an entry in the directory besides its name: fixed part, time, and sizes in 64 bits. */
const DIRECTORY_ENTRY_BYTES = 46 + 9 + 28;

/**
 * Where the directory exceeds 64 KiB, yazl 3.3.1 counts records in 64 bits into the size that it tells, but writes them
 * only when made to.
 */
function mayNeedZip64(entries: readonly ArchiveEntry[]): boolean {
  const directoryBytes = entries.reduce(
    (sum, { name }) => sum + DIRECTORY_ENTRY_BYTES + Buffer.byteLength(name),
    0,
  );
  return directoryBytes >= 0xffff;
}
