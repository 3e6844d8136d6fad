import { readFailure, toConnectionFailure } from './failures.ts';
import type { SourceFile } from './source-file.ts';

export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

/** Streams a file to a signed upload link; `onBytes` gets the count of bytes sent so far. Errors of the source are rethrown unchanged. */
export async function uploadSource(
  source: SourceFile,
  uploadUrl: string,
  { signal, onBytes }: TransferOptions,
): Promise<void> {
  let unreadable: { readonly error: unknown } | undefined;
  async function* content() {
    let sentBytes = 0;
    onBytes(sentBytes);
    try {
      for await (const chunk of source.read()) {
        yield chunk;
        sentBytes += chunk.length;
        onBytes(sentBytes);
      }
    } catch (error) {
      unreadable = { error };
      throw error;
    }
  }
  try {
    const response = await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-length': String(source.sizeBytes), 'content-type': 'application/octet-stream' },
      body: content(),
      duplex: 'half',
      signal,
    });
    if (!response.ok) throw await readFailure(response);
    await response.body?.cancel();
  } catch (error) {
    // fetch reports it as a broken connection.
    if (unreadable !== undefined) throw unreadable.error;
    throw toConnectionFailure(error, uploadUrl);
  }
}
