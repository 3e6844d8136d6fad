/**
 * A bucket at S3 or a compatible store, accessed with its own settings only: without ambient credentials,
 * without regions or endpoints of the environment, without redirects. Objects are sent in parts that lie in
 * memory, so a failed part can be sent again.
 */
import { Readable } from 'node:stream';
import { multipartsBelow } from '@audiosplit/chassis/object-store/s3-multiparts';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket, BucketAddress } from './bucket.ts';
import { createEgressHandler, type EgressTerms } from './egress-handler.ts';
import { toStoreError } from './store-error.ts';

/** S3 accepts at most 10,000 parts: objects of up to 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 1;
const LIST_PAGE = 1_000;
const DELETES_IN_FLIGHT = 8;
/** As long as a job may transfer and wait in queues. */
const LINK_SECONDS = 12 * 3_600;

export function openS3Bucket(address: BucketAddress, terms: EgressTerms): Bucket {
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = address;
  const client = new S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint === undefined ? {} : { endpoint }),
    // A name with a dot has no valid certificate as a host name.
    forcePathStyle: endpoint !== undefined || bucket.includes('.'),
    followRegionRedirects: false,
    disableS3ExpressSessionAuth: true,
    maxAttempts: 3,
    // Not every store supports the checksums that are optional at S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: createEgressHandler(terms),
  });
  const secrets = [secretAccessKey, accessKeyId];
  const Bucket = bucket;
  const at = (key: string) => ({ Bucket, Key: prefix + key });

  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw terms.signal.aborted ? terms.signal.reason : toStoreError(error, secrets);
    }
  };

  const listPage = async (folder: string, limit: number, token?: string) => {
    const page = await ask(() =>
      client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: prefix + folder,
          MaxKeys: limit,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      ),
    );
    const keys = (page.Contents ?? []).flatMap(({ Key }) =>
      Key === undefined ? [] : [Key.slice(prefix.length)],
    );
    return { keys, nextToken: page.NextContinuationToken };
  };

  const deleteOne = async (key: string): Promise<void> => {
    await ask(() => client.send(new DeleteObjectCommand(at(key))));
  };

  const abortUploads = async (folder: string): Promise<void> => {
    const Prefix = prefix + folder;
    const uploads = multipartsBelow(Prefix, (start) =>
      ask(() => client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...start }))),
    );
    for await (const upload of uploads)
      await ask(() => client.send(new AbortMultipartUploadCommand({ Bucket, ...upload })));
  };

  return {
    list: async (folder, limit) => (await listPage(folder, limit)).keys,

    async sizeOf(key) {
      const { ContentLength } = await ask(() => client.send(new HeadObjectCommand(at(key))));
      return ContentLength;
    },

    async readStart(key, maxBytes) {
      return ask(async () => {
        const { Body } = await client.send(
          new GetObjectCommand({ ...at(key), Range: `bytes=0-${maxBytes - 1}` }),
        );
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      });
    },

    async put(key, body, contentType) {
      await ask(() =>
        new Upload({
          client,
          params: { ...at(key), Body: Readable.from(body), ContentType: contentType },
          partSize: PART_BYTES,
          queueSize: PARTS_IN_FLIGHT,
        }).done(),
      );
    },

    delete: deleteOne,

    async deleteFolder(folder) {
      await abortUploads(folder);
      let token: string | undefined;
      do {
        const page = await listPage(folder, LIST_PAGE, token);
        for (let start = 0; start < page.keys.length; start += DELETES_IN_FLIGHT)
          await Promise.all(page.keys.slice(start, start + DELETES_IN_FLIGHT).map(deleteOne));
        token = page.nextToken;
      } while (token !== undefined);
    },

    linkTo: (key) => getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn: LINK_SECONDS }),

    locationOf: (key) => `s3://${bucket}/${prefix}${key}`,

    [Symbol.dispose]() {
      client.destroy();
    },
  };
}
