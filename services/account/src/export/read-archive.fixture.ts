/** Opens an archive with a different library than the one that wrote it. */
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** Its files by their paths, in the order of the archive. */
export async function readArchive(bytes: Buffer): Promise<Map<string, Buffer>> {
  const open = promisify<Buffer, { lazyEntries: true }, ZipFile>(fromBuffer);
  const zip = await open(bytes, { lazyEntries: true });
  const files = new Map<string, Buffer>();
  const openEntry = promisify(zip.openReadStream.bind(zip)) as (
    entry: Entry,
  ) => Promise<NodeJS.ReadableStream>;
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      openEntry(entry)
        .then(buffer)
        .then((content) => {
          files.set(entry.fileName, content);
          zip.readEntry();
        }, reject);
    });
    zip.once('end', resolve);
    zip.once('error', reject);
    zip.readEntry();
  });
  return files;
}
