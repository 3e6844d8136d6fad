/** Uploads a file to its signed link. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
import { ownAddress } from '../api/own-address.ts';

/** Rejects with the signal's reason, or an Error with a message for the user. */
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
    request.onload = () =>
      request.status < 300 ? resolve() : reject(new Error(messageIn(request.responseText)));
    request.onerror = () => reject(new Error('The upload broke off. Check your connection and try again.'));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', stop);
    request.send(file);
  });
}

function messageIn(body: string): string {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return 'The upload was refused.';
  }
}
