import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Audiosplit, Segment } from '@audiosplit/client';

export interface DownloadedSegment {
  readonly file: string;
  readonly sha256: string;
}

/** A server does not choose in which folder we write. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^\p{Cc}/\\:]{1,255}$/u;

/**
 * Writes one segment under the name that the server gives it. A file under its final name is complete; what an earlier
 * download has left of one is taken up.
 */
export async function downloadSegment(
  client: Audiosplit,
  segment: Segment,
  options: {
    readonly folder: string;
    readonly signal: AbortSignal;
    readonly onBytes: (count: number) => void;
  },
): Promise<DownloadedSegment> {
  const { folder, signal, onBytes } = options;
  const { fileName, size } = segment;
  if (!PLAIN_NAME.test(fileName)) {
    throw new Error(`segment ${segment.index} came without a usable file name: ${JSON.stringify(fileName)}`);
  }
  const finalPath = join(folder, fileName);
  const partPath = join(folder, `.segment-${segment.index}.part`);
  const hash = createHash('sha256');
  const measure = (chunk: Uint8Array) => {
    hash.update(chunk);
    onBytes(chunk.length);
  };
  const from = await takeUp(finalPath, partPath, size);
  if (from > 0) for await (const chunk of createReadStream(partPath)) measure(chunk);
  if (from < size) {
    const { bytes } = await client.openSegment(segment, { signal, from });
    await pipeline(
      bytes,
      async function* measured(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          measure(chunk);
          yield chunk;
        }
      },
      createWriteStream(partPath, { flags: from === 0 ? 'w' : 'a' }),
      { signal },
    );
  }
  await rename(partPath, finalPath);
  return { file: fileName, sha256: hash.digest('hex') };
}

/**
 * The number of bytes that an earlier download has left in the part file. Bytes that do not match the
 * segment's beginning do not count.
 */
async function takeUp(finalPath: string, partPath: string, size: number): Promise<number> {
  await rename(finalPath, partPath).catch(() => undefined);
  const left = await stat(partPath).catch(() => undefined);
  return left === undefined || left.size > size ? 0 : left.size;
}
