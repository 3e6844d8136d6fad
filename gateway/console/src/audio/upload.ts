/** Sends a file by the link that the gateway gave for it. `fetch` reports no progress of an upload. */
import { ownAddress } from '../api/own-address.ts';

/** Rejects with the signal's reason, or an Error whose message is for people. */
export function sendFile(
  link: string,
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A signal that is aborted already fires no event.
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
