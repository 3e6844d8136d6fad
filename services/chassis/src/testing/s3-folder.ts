/** What lies in a folder of a bucket, for tests that look past the product. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { multipartsBelow } from '../object-store/s3-multiparts.ts';

export interface FolderContent {
  /** By their names in the folder. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Keys of objects that were begun in parts and are not complete. */
  readonly unfinished: readonly string[];
}

/** The bucket is created. */
export async function openS3Folders(
  Bucket: string,
  config: Pick<S3ClientConfig, 'endpoint' | 'region' | 'credentials'>,
) {
  const client = new S3Client({ ...config, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket }));
  const read = async (Key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  return {
    /** Of at most one page of objects. `folder` ends with a slash. */
    async read(folder: string): Promise<FolderContent> {
      const objects = new Map<string, Buffer>();
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: folder }));
      for (const { Key = '' } of Contents) objects.set(Key.slice(folder.length), await read(Key));
      const uploads = multipartsBelow(folder, (start) =>
        client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: folder, ...start })),
      );
      return { objects, unfinished: await Array.fromAsync(uploads, ({ Key }) => Key) };
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
