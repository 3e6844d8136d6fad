/**
 * Stores the segments of a job in a bucket of its account, and manifest.json last: a folder with a manifest
 * is complete. The folder belongs to the job and is emptied before, so only the files of the last attempt
 * remain. If an attempt is interrupted, the next one removes its files; if the job has failed, the jobs
 * service has them removed.
 */
import { addAbortSignal, Readable } from 'node:stream';
import type { Bucket } from '../../bucket/bucket.ts';
import { StoreError } from '../../bucket/store-error.ts';
import type { AccountPlaces } from '../shares/account-places.ts';
import { DestinationError } from './destination-error.ts';

/** Concurrent transfers of one job. */
const TRANSFERS_OF_JOB = 4;
const MANIFEST_NAME = 'manifest.json';

export interface DeliveredFile {
  readonly name: string;
  readonly contentType: string;
  /** Reads from the first byte at every call. */
  readonly read: () => Promise<Readable> | Readable;
}

export interface Delivery {
  readonly bucket: Bucket;
  /** Ends with a slash. */
  readonly folder: string;
  readonly accountId: string;
  /** Slots for objects in transfer, each of which uses memory. */
  readonly transfers: AccountPlaces;
  readonly signal: AbortSignal;
}

/** Resolves with the locations of the files, in order. Throws DestinationError, or the signal's reason. */
export async function deliver(
  delivery: Delivery,
  files: readonly DeliveredFile[],
  manifestOf: (locations: readonly string[]) => object,
): Promise<readonly string[]> {
  const { bucket, folder, signal } = delivery;
  try {
    await bucket.deleteFolder(folder);
    const left = [...files];
    const failed = new AbortController();
    const each = { ...delivery, signal: AbortSignal.any([signal, failed.signal]) };
    const work = async () => {
      try {
        for (let file = left.shift(); file !== undefined; file = left.shift()) await put(each, file);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    };
    // Waits until all have stopped before it reports an error.
    const ends = await Promise.allSettled(Array.from({ length: TRANSFERS_OF_JOB }, work));
    if (ends.some(({ status }) => status === 'rejected')) throw failed.signal.reason;
    const locations = files.map(({ name }) => bucket.locationOf(folder + name));
    const manifest = `${JSON.stringify(manifestOf(locations), null, 2)}\n`;
    await put(delivery, {
      name: MANIFEST_NAME,
      contentType: 'application/json',
      read: () => Readable.from([Buffer.from(manifest)]),
    });
    return locations;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StoreError ? new DestinationError(error) : error;
  }
}

/** Starts again if its slot is given to another account. */
async function put(
  { bucket, folder, accountId, transfers, signal }: Delivery,
  file: DeliveredFile,
): Promise<void> {
  for (;;) {
    using place = await transfers.enter(accountId, signal);
    const body = await file.read();
    // A body that breaks undoes its upload.
    addAbortSignal(AbortSignal.any([signal, place.setAside]), body);
    try {
      return await bucket.put(folder + file.name, body, file.contentType);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!place.setAside.aborted) throw error;
    } finally {
      body.destroy();
    }
  }
}
