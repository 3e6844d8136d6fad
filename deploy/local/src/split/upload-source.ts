import { createReadStream } from 'node:fs';
import { readFailure, toConnectionFailure } from './failures.ts';

export interface SourceFile {
  readonly path: string;
  /** More than 0. */
  readonly sizeBytes: number;
}

export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

/** Streams a file to a signed upload link; `onBytes` is told the bytes sent so far. */
export async function uploadSource(
  { path, sizeBytes }: SourceFile,
  uploadUrl: string,
  { signal, onBytes }: TransferOptions,
): Promise<void> {
  async function* content() {
    let sentBytes = 0;
    onBytes(sentBytes);
    // The size has been announced: what is appended meanwhile does not belong to it.
    for await (const chunk of createReadStream(path, { end: sizeBytes - 1 })) {
      yield chunk as Uint8Array;
      sentBytes += chunk.length;
      onBytes(sentBytes);
    }
  }
  try {
    const response = await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-length': String(sizeBytes), 'content-type': 'application/octet-stream' },
      body: content(),
      duplex: 'half',
      signal,
    });
    if (!response.ok) throw await readFailure(response);
    await response.body?.cancel();
  } catch (error) {
    throw toConnectionFailure(error, uploadUrl);
  }
}
