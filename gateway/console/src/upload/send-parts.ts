/** Sends a file to its link by tus, in parts, and goes on by itself after a break. */
import type { DetailedError, Upload } from 'tus-js-client';
import { ShownError } from '../api/failure.ts';
import { ownAddress } from '../api/own-address.ts';

export interface SendOptions {
  /** `isBroken`: the connection is gone, and is tried again. */
  readonly onProgress: (fraction: number, isBroken: boolean) => void;
  readonly signal: AbortSignal;
}

/** The link has ended, or a job uses its file. */
export class UploadGoneError extends ShownError {
  constructor() {
    super('UPLOAD_NOT_FOUND', 'The upload has ended. Send the file again.');
  }
}

const PART_BYTES = 8 * 1024 * 1024;
const RETRY_EVERY_MS = 5_000;
/** For as long as the link lasts. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, ...new Array(86_400_000 / RETRY_EVERY_MS).fill(RETRY_EVERY_MS)];
/** Longer than a slow connection takes between two signs of life: what it was given last may be far from sent. */
const SILENCE_MS = 60_000;
/** Beside those of 500 and above. Without an answer the status is 0; another request may still hold the upload. */
const MAY_PASS = [0, 408, 409, 423];

/** Loads the library, which is not part of the page. */
export function loadTus(): Promise<typeof import('tus-js-client')> {
  return import('tus-js-client').catch(() => {
    throw new ShownError(
      'UNREACHABLE',
      'The upload could not start. Check your connection; if that does not help, reload the page.',
    );
  });
}

/** Resolves with the file's `sourceUrl`. Rejects with the signal's reason, UploadGoneError, or another ShownError. */
export async function sendParts(file: File, uploadUrl: string, options: SendOptions): Promise<string> {
  const { onProgress, signal } = options;
  const tus = await loadTus();
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let fraction = 0;
  let isBroken = false;
  let silence: number | undefined;
  const broken = () => {
    if (!isBroken) onProgress(fraction, true);
    isBroken = true;
  };
  const listen = () => {
    clearTimeout(silence);
    silence = window.setTimeout(() => {
      broken();
      goOn();
    }, SILENCE_MS);
  };
  /** Asks how much has arrived, and sends the rest. */
  const goOn = () => {
    listen();
    void upload.abort().then(() => upload.start());
  };
  const connected = () => {
    if (isBroken) goOn();
  };
  const upload: Upload = new tus.Upload(file, {
    uploadUrl: ownAddress(uploadUrl),
    chunkSize: PART_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false,
    onProgress(sent, total) {
      isBroken = false;
      listen();
      fraction = sent / total;
      onProgress(fraction, false);
    },
    onShouldRetry(error) {
      const status = statusOf(error);
      const mayPass = status >= 500 || MAY_PASS.includes(status);
      if (mayPass) broken();
      return mayPass;
    },
    onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('Upload-Source-Url') ?? ''),
    onError: (error) => reject(refusalIn(error)),
  });
  const stop = () => {
    void upload.abort();
    reject(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  addEventListener('online', connected);
  goOn();
  try {
    return await promise;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
    removeEventListener('online', connected);
  }
}

type Refusal = Error & Partial<Pick<DetailedError, 'originalResponse'>>;

function statusOf({ originalResponse }: Refusal): number {
  return originalResponse?.getStatus() ?? 0;
}

function refusalIn(error: Refusal): ShownError {
  if ([403, 404].includes(statusOf(error))) return new UploadGoneError();
  try {
    const { code, message } = JSON.parse(error.originalResponse?.getBody() ?? '').error;
    return new ShownError(String(code), String(message));
  } catch {
    return new ShownError('UPLOAD_FAILED', 'The file could not be sent.');
  }
}
