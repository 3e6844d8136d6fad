import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Audiosplit, Segment } from '@audiosplit/client';

export interface DownloadedSegment {
  readonly file: string;
  readonly sha256: string;
}

/** A server does not choose in which folder we write. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^\p{Cc}/\\:]{1,255}$/u;

/** Writes one segment under the name that the server gives it. A file under its final name is complete. */
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
  const partPath = join(folder, `.segment-${segment.index}.part`);
  const hash = createHash('sha256');
  const { fileName } = segment;
  if (!PLAIN_NAME.test(fileName)) {
    throw new Error(`segment ${segment.index} came without a usable file name: ${JSON.stringify(fileName)}`);
  }
  const { bytes } = await client.openSegment(segment, { signal });
  await pipeline(
    bytes,
    async function* measure(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        onBytes(chunk.length);
        yield chunk;
      }
    },
    createWriteStream(partPath),
    { signal },
  );
  await rename(partPath, join(folder, fileName));
  return { file: fileName, sha256: hash.digest('hex') };
}
