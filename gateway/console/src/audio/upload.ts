/** Uploads a file to its signed link. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
import type { Failure } from '../api/failure.ts';
import { ownAddress } from '../api/own-address.ts';

export class UploadError extends Error {
  override readonly name = 'UploadError';
  readonly failure: Failure;

  constructor({ code, message }: Pick<Failure, 'code' | 'message'>) {
    super(message);
    this.failure = { code, message, fields: new Map() };
  }
}

/** Rejects with the signal's reason, or an UploadError. */
export function sendFile(
  link: string,
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // An aborted signal fires no event.
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    signal.addEventListener('abort', stop, { once: true });
    request.open('PUT', ownAddress(link));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => (request.status < 300 ? resolve() : reject(refusalIn(request.responseText)));
    request.onerror = () =>
      reject(
        new UploadError({
          code: 'UNREACHABLE',
          message: 'The upload broke off. Check your connection and try again.',
        }),
      );
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', stop);
    request.send(file);
  });
}

function refusalIn(body: string): UploadError {
  try {
    const { code, message } = JSON.parse(body).error;
    return new UploadError({ code: String(code), message: String(message) });
  } catch {
    return new UploadError({ code: 'UPLOAD_FAILED', message: 'The upload was refused.' });
  }
}
