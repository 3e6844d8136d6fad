/** Receives the file that is sent to a link, at the pace that it has to keep, and stores it. */
import type { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Bounds } from '../bounds/bound-settings.ts';
import { emptyFile, fileTooLarge, longerThanAnnounced, shorterThanAnnounced } from './upload-errors.ts';
import type { UploadMemory } from './upload-memory.ts';
import type { BegunUpload, UploadReports } from './upload-reports.ts';
import { receiveBody } from './uploaded-body.ts';

export interface UploadDependencies {
  readonly store: ObjectStore;
  readonly memory: UploadMemory;
  readonly reports: UploadReports;
  readonly bounds: Pick<Bounds, 'UPLOAD_IDLE_SECONDS' | 'UPLOAD_MIN_BYTES_PER_SECOND'>;
}

interface Upload extends BegunUpload {
  readonly objectKey: string;
  readonly contentType: string;
  /** By the plan at the time of the link. */
  readonly maxBytes: number;
  /** Undefined: the caller does not tell. */
  readonly contentLength: number | undefined;
}

/** Throws FILE_TOO_LARGE, INVALID_PARAMS, UPLOAD_TIMEOUT, SERVICE_UNAVAILABLE; nothing is left of the file then. */
export async function receiveUpload(
  { store, memory, reports, bounds }: UploadDependencies,
  upload: Upload,
  body: Readable,
): Promise<void> {
  requireFittingLength(upload);
  const { accountId, announcedBytes, contentLength, objectKey, contentType } = upload;
  const sizeBytes = contentLength ?? announcedBytes;
  const report = await reports.begin(upload);
  const gone = new AbortController();
  body.once('close', () => gone.abort(new Error('the caller has gone')));
  let isStored = false;
  try {
    const received = receiveBody(body, {
      maxBytes: upload.maxBytes,
      announcedBytes,
      idleMs: bounds.UPLOAD_IDLE_SECONDS * 1_000,
      minBytesPerSecond: bounds.UPLOAD_MIN_BYTES_PER_SECOND,
      onReceived(bytes) {
        report.receivedBytes = bytes;
      },
    });
    const onRevoked = () => received.fail(memory.full());
    using _held = await memory.reserve(accountId, store.putMemoryBytes(sizeBytes), onRevoked, gone.signal);
    await store.put(objectKey, received.start(), { contentType, sizeBytes });
    isStored = true;
  } finally {
    await report.end(isStored ? 'stored' : 'brokenOff');
  }
}

function requireFittingLength({ contentLength, maxBytes, announcedBytes }: Upload): void {
  if (contentLength === undefined) return;
  if (contentLength === 0) throw emptyFile();
  if (contentLength > maxBytes) throw fileTooLarge(maxBytes);
  if (announcedBytes === undefined) return;
  if (contentLength > announcedBytes) throw longerThanAnnounced(announcedBytes);
  if (contentLength < announcedBytes) throw shorterThanAnnounced(contentLength, announcedBytes);
}
