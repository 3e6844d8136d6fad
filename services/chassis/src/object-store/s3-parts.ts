/** Objects that arrive in parts, as multipart uploads of S3. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import {
  assertObjectKey,
  assertObjectPrefix,
  MultipartNotFoundError,
  type ObjectStore,
} from './object-store.ts';
import { answerInTime, explain } from './s3-answers.ts';
import { putStreamed } from './s3-streamed-put.ts';

const ANSWER_TIMEOUT_MS = 5_000;
/** A server may copy the parts. */
const COMPLETE_TIMEOUT_MS = 50_000;

type Parts = Pick<ObjectStore, 'beginMultipart' | 'putPart' | 'completeMultipart' | 'abortMultiparts'>;

export function createS3Parts(client: S3Client, Bucket: string): Parts {
  const abort = async (Key: string, UploadId: string) => {
    try {
      await answerInTime(
        ANSWER_TIMEOUT_MS,
        (abortSignal) =>
          client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal }),
        Key,
      );
    } catch (error) {
      if (!(error instanceof MultipartNotFoundError)) throw error;
    }
  };

  return {
    async beginMultipart(key, { contentType }) {
      assertObjectKey(key);
      const command = new CreateMultipartUploadCommand({
        Bucket,
        Key: key,
        ContentType: contentType,
        // That of the parts, by default of the client.
        ChecksumAlgorithm: 'CRC32',
      });
      const { UploadId } = await answerInTime(
        ANSWER_TIMEOUT_MS,
        (abortSignal) => client.send(command, { abortSignal }),
        key,
      );
      if (UploadId === undefined) throw new Error(`S3 gave no id for the parts of ${JSON.stringify(key)}`);
      return UploadId;
    },

    async putPart({ key, multipartId, number }, body, sizeBytes) {
      try {
        const target = { Bucket, Key: key, UploadId: multipartId, PartNumber: number };
        const { ETag, ChecksumCRC32 } = await putStreamed(body, sizeBytes, (streamed, sending) =>
          client.send(new UploadPartCommand({ ...target, ...streamed }), sending),
        );
        return [ETag, ChecksumCRC32].filter((part) => part !== undefined).join(' ');
      } catch (error) {
        // What the body failed with is not the store's fault.
        const failure = error === body.errored ? error : explain(key, error);
        body.destroy();
        throw failure;
      }
    },

    async completeMultipart({ key, multipartId }, parts) {
      const command = new CompleteMultipartUploadCommand({
        Bucket,
        Key: key,
        UploadId: multipartId,
        MultipartUpload: {
          Parts: parts.map(({ number, tag }) => {
            const [ETag, ChecksumCRC32] = tag.split(' ');
            return { PartNumber: number, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) };
          }),
        },
      });
      await answerInTime(
        COMPLETE_TIMEOUT_MS,
        (abortSignal) => client.send(command, { abortSignal, requestTimeout: COMPLETE_TIMEOUT_MS }),
        key,
      );
    },

    async abortMultiparts(prefix) {
      assertObjectPrefix(prefix);
      let markers = {};
      for (;;) {
        const page = await answerInTime(ANSWER_TIMEOUT_MS, (abortSignal) =>
          client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...markers }), {
            abortSignal,
          }),
        );
        for (const { Key, UploadId } of page.Uploads ?? []) {
          if (Key?.startsWith(prefix) && UploadId !== undefined) await abort(Key, UploadId);
        }
        if (!page.IsTruncated) return;
        markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      }
    },
  };
}
