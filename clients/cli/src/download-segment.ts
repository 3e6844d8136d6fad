import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Segment } from '@audiosplit/gateway/schemas/splits';
import { attachmentName } from './attachment-name.ts';
import { ConnectionFailure, readFailure, toConnectionFailure } from './failures.ts';
import type { TransferOptions } from './upload-source.ts';

export interface DownloadedSegment {
  readonly file: string;
  readonly sha256: string;
}

/**
 * Writes one segment into `folder`, under the name that the server gives it. It lies in a file of its own
 * (`*.part`) until it is whole, so that a file under its final name can be trusted. `onBytes` is told the
 * count of each piece.
 */
export async function downloadSegment(
  { index, downloadUrl, size }: Segment,
  folder: string,
  { signal, onBytes }: TransferOptions,
): Promise<DownloadedSegment> {
  const partPath = join(folder, `.segment-${index}.part`);
  const hash = createHash('sha256');
  let receivedBytes = 0;
  try {
    const response = await fetch(downloadUrl, { signal });
    if (!response.ok || response.body === null) throw await readFailure(response);
    const file = attachmentName(response.headers.get('content-disposition'));
    if (file === undefined) {
      throw new Error(`segment ${index} came without a usable file name in Content-Disposition`);
    }
    await pipeline(
      response.body,
      async function* measure(body: AsyncIterable<Uint8Array>) {
        for await (const chunk of body) {
          hash.update(chunk);
          receivedBytes += chunk.length;
          onBytes(chunk.length);
          yield chunk;
        }
      },
      createWriteStream(partPath),
      { signal },
    );
    if (receivedBytes !== size) {
      throw new ConnectionFailure(`segment ${index} has ${receivedBytes} bytes instead of ${size}`);
    }
    await rename(partPath, join(folder, file));
    return { file, sha256: hash.digest('hex') };
  } catch (error) {
    onBytes(-receivedBytes);
    await rm(partPath, { force: true });
    throw toConnectionFailure(error, downloadUrl);
  }
}
