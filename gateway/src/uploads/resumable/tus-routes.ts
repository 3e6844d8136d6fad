/**
 * The address of a resumable upload, by tus 1.0: PATCH sends bytes, HEAD returns how many have arrived,
 * DELETE ends the upload.
 */
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Metadata, Upload as TusUpload } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { LinkOptions } from '../../downloads/download-links.ts';
import type { AddressWindow } from '../../http/admission/address-window.ts';
import { ApiError } from '../../http/errors/api-error.ts';
import type { Services } from '../../services.ts';
import type { UploadDependencies } from '../receive-upload.ts';
import { emptyFile } from '../upload-errors.ts';
import { receiveBody } from '../uploaded-body.ts';
import { openArrivingUpload, PART_BYTES } from './arriving-upload.ts';
import { admitResumableUpload, TUS_PATH, type UploadTarget } from './resumable-links.ts';
import { answerByTus } from './tus-answers.ts';
import { TUS_EXPIRATION_MS, TUS_EXTENSIONS } from './tus-creation.ts';
import { PART_HEADERS, VERSION_HEADER } from './tus-headers.ts';
import { createUploadLocks } from './upload-locks.ts';

interface TusRoutes {
  readonly links: LinkOptions;
  readonly uploads: UploadDependencies;
  readonly services: Services;
  readonly addressWindow: AddressWindow;
}

const querystring = Type.Object({
  size: Type.Optional(Type.String({ description: 'Size that was announced for the file.' })),
  reserved: Type.Optional(Type.String({ description: 'When the upload was created.' })),
  expires: Type.Optional(Type.String({ description: 'Unix time at which the link ends.' })),
  signature: Type.Optional(Type.String()),
});
const errors = [
  ...(['INVALID_PARAMS', 'INVALID_SIGNATURE', 'UPLOAD_EXPIRED', 'UPLOAD_NOT_FOUND'] as const),
  ...(['TUS_VERSION_UNSUPPORTED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const),
];

export function tusRoutes({ links, uploads, services, addressWindow }: TusRoutes): FastifyPluginAsyncTypebox {
  const locker = createUploadLocks();
  const { store, memory, reports, bounds } = uploads;
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    /** A link that is refused counts against the address, like any credential. */
    const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<UploadTarget> => {
      try {
        return admitResumableUpload(request.url, links);
      } catch (error) {
        const { headers, refusal } = await addressWindow.count(request.ip);
        reply.headers(headers);
        throw refusal ?? error;
      }
    };
    const report = (target: UploadTarget) => reports.begin({ ...target, announcedBytes: target.sizeBytes });

    /** The upload, and the part of a tus data store that all requests need. */
    const open = (target: UploadTarget) => {
      const upload = openArrivingUpload({ store, services }, target);
      return {
        upload,
        served: {
          extensions: TUS_EXTENSIONS,
          getExpiration: () => TUS_EXPIRATION_MS,
          async getUpload(id: string) {
            const { arrivedBytes, metadata, isStored } = await upload.read();
            const offset = Number(arrivedBytes);
            if (offset === target.sizeBytes && !isStored) await complete();
            return new TusUpload({
              id,
              offset,
              size: target.sizeBytes,
              ...(metadata === '' ? {} : { metadata: Metadata.parse(metadata) }),
              creation_date: target.reservedAt.toISOString(),
            });
          },
        },
      };
      /** For an upload whose gateway died after the last byte and before the file was complete. */
      async function complete() {
        const begun = await report(target);
        await upload.complete();
        begun.receivedBytes = target.sizeBytes;
        await begun.end('stored');
      }
    };
    const optionsFor = ({ uploadId }: UploadTarget) => ({ locker, getFileIdFromRequest: () => uploadId });

    const route = {
      documentedAs: `${TUS_PATH}/:objectKey`,
      bounds: ['uploads'],
      documentedHeaders: VERSION_HEADER,
      requiredHeaders: ['Tus-Resumable'],
    } as const;
    const common = { tags: ['Files'], querystring };

    app.patch(
      `${TUS_PATH}/*`,
      {
        config: {
          ...route,
          errors: [...errors, 'UPLOAD_OFFSET_CONFLICT', 'UPLOAD_TIMEOUT', 'FILE_TOO_LARGE'],
          documentedHeaders: PART_HEADERS,
          requiredHeaders: ['Tus-Resumable', 'Upload-Offset'],
        },
        schema: {
          ...common,
          operationId: 'sendUploadPart',
          summary: 'Send a part of a file',
          description:
            'Appends bytes to the file, by tus. `Upload-Offset` is the number of bytes that have arrived before. The body has ' +
            'the type `application/offset+octet-stream` and a `Content-Length`. Parts of 8 MiB work best: if a part breaks ' +
            'off, none of its bytes are kept; earlier parts stay.',
          response: {
            204: Type.Null({
              description: 'The bytes are stored; `Upload-Offset` says how many have arrived.',
            }),
          },
        },
      },
      async (request, reply) => {
        // The rest of a refused body is not read, so the connection cannot be reused.
        reply.header('connection', 'close');
        const target = await admit(request, reply);
        const { accountId, sizeBytes, sourceUrl } = target;
        if (!(request.body instanceof Readable)) throw emptyFile();
        const length = Number(request.headers['content-length']);
        if (!Number.isSafeInteger(length)) throw new ApiError('INVALID_PARAMS', 'Send a Content-Length.');
        const { upload, served } = open(target);
        const { body } = request;
        const gone = new AbortController();
        body.once('close', () => gone.abort(new Error('the caller has gone')));
        const begun = await report(target);
        let isStored = false;
        try {
          const received = receiveBody(body, {
            maxBytes: length,
            announcedBytes: length,
            idleMs: bounds.UPLOAD_IDLE_SECONDS * 1_000,
            minBytesPerSecond: bounds.UPLOAD_MIN_BYTES_PER_SECOND,
            onReceived(bytes) {
              begun.receivedBytes = bytes;
            },
          });
          const onRevoked = () => received.fail(memory.full());
          using _held = await memory.reserve(
            accountId,
            store.putMemoryBytes(PART_BYTES),
            onRevoked,
            gone.signal,
          );
          const stream = received.start();
          try {
            await answerByTus({
              request,
              reply,
              body: Readable.toWeb(stream) as ReadableStream,
              store: {
                ...served,
                async write(bytes) {
                  const arrivedBytes = await upload.append(bytes as Readable, length);
                  if (arrivedBytes < sizeBytes) return arrivedBytes;
                  await upload.complete();
                  isStored = true;
                  return arrivedBytes;
                },
              },
              options: optionsFor(target),
            });
          } catch (error) {
            throw stream.errored ?? error;
          } finally {
            stream.destroy();
          }
        } finally {
          if (isStored) begun.receivedBytes = sizeBytes;
          await begun.end(isStored ? 'stored' : 'brokenOff');
        }
        return reply.removeHeader('connection').header('upload-source-url', sourceUrl).send(null);
      },
    );

    app.head(
      `${TUS_PATH}/*`,
      {
        config: { ...route, errors, swagger: { exposeHeadRoute: true } },
        schema: {
          ...common,
          operationId: 'readUpload',
          summary: 'See how much of a file has arrived',
          description: 'In `Upload-Offset`, of `Upload-Length` bytes, by tus.',
          response: { 200: Type.Null({ description: 'How much has arrived.' }) },
        },
      },
      async (request, reply) => {
        const target = await admit(request, reply);
        const { served } = open(target);
        await answerByTus({ request, reply, store: served, options: optionsFor(target) });
        return reply.header('upload-source-url', target.sourceUrl).send(null);
      },
    );

    app.delete(
      `${TUS_PATH}/*`,
      {
        config: { ...route, errors: [...errors, 'UPLOAD_OFFSET_CONFLICT'] },
        schema: {
          ...common,
          operationId: 'removeUpload',
          summary: 'Cancel an upload',
          description:
            'Removes the bytes that have arrived; they no longer count towards the limit of uploads. A complete file cannot ' +
            'be removed: it is deleted when its link expires.',
          response: { 204: Type.Null({ description: 'The upload has ended.' }) },
        },
      },
      async (request, reply) => {
        const target = await admit(request, reply);
        const { upload, served } = open(target);
        const store = { ...served, remove: () => upload.remove() };
        await answerByTus({ request, reply, store, options: optionsFor(target) });
        return reply.send(null);
      },
    );
  };
}
