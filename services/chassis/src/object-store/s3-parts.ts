/** Multipart objects as multipart uploads of S3. */
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
import { multipartsBelow } from './s3-multiparts.ts';
import { putStreamed } from './s3-streamed-put.ts';

const ANSWER_TIMEOUT_MS = 5_000;
/** Servers may copy the parts on completion. */
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
        // The same as for the parts; the client's default.
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
          client.send(onOwnConnection(new UploadPartCommand({ ...target, ...streamed })), sending),
        );
        return [ETag, ChecksumCRC32].filter((part) => part !== undefined).join(' ');
      } catch (error) {
        // An error of the body is not the store's fault.
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
      const uploads = multipartsBelow(prefix, (start) =>
        answerInTime(ANSWER_TIMEOUT_MS, (abortSignal) =>
          client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...start }), {
            abortSignal,
          }),
        ),
      );
      for await (const { Key, UploadId } of uploads) await abort(Key, UploadId);
    },
  };
}

/**
 * A server may answer a part before it has read all of it. versitygw then takes the rest for the next request
 * on the connection, and refuses that request.
 */
function onOwnConnection(command: UploadPartCommand): UploadPartCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers.connection = 'close';
      return next(args);
    },
    { step: 'build', name: 'onOwnConnection' },
  );
  return command;
}
