/** The callers' bucket, in the installation's store and behind a proxy that can hold uploads. */
import { parseStorageUrl } from '@audiosplit/chassis/object-store/storage-url';
import { openS3Folders } from '@audiosplit/chassis/testing/s3-folder';
import type { Body } from '@audiosplit/client';
import { startObjectStoreProxy } from '../harness/faults/proxies/object-store-proxy.ts';
import type { SystemEngines } from '../harness/installation/engine-controls.ts';

export type CallersBucket = Awaited<ReturnType<typeof openCallersBucket>>;

const BUCKET = 'callers';

export async function openCallersBucket(engines: SystemEngines) {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = engines;
  const store = parseStorageUrl(engines.storageUrl);
  if (store.kind !== 's3' || store.endpoint === undefined) throw new Error('the installation has no store');
  const { endpoint, region = 'us-east-1' } = store;
  await using starting = new AsyncDisposableStack();
  const credentials = { accessKeyId, secretAccessKey };
  const folders = starting.use(await openS3Folders(BUCKET, { endpoint, region, credentials }));
  const proxy = starting.use(await startObjectStoreProxy(new URL(endpoint)));
  const running = starting.move();
  return {
    /** A connection to a folder of the bucket. */
    connection: (name: string, prefix: string): Body<'createConnection'> => ({
      ...{ name, type: 's3', endpoint: proxy.url, region, bucket: BUCKET, prefix },
      ...{ accessKeyId, secretAccessKey },
    }),
    holdUploads: proxy.holdUploads,
    /** Reads directly, past the proxy. */
    read: folders.read,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
