import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly modifiedAt: Date;
}

/** Reads a zip with another library, which checks sizes and checksums. */
export async function readZip(zip: Buffer): Promise<ZipEntry[]> {
  const file = await fromBufferPromise(zip);
  const entries: ZipEntry[] = [];
  for await (const entry of file.eachEntry()) {
    const bytes = await buffer(await file.openReadStreamPromise(entry));
    entries.push({ name: entry.fileName, bytes, modifiedAt: entry.getLastModDate() });
  }
  return entries;
}
