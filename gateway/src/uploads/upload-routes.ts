import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { LinkOptions } from '../downloads/download-links.ts';
import { FILE_ERRORS, fileResponses } from '../downloads/file-responses.ts';
import { admitLink } from '../downloads/link-access.ts';
import { sendObject } from '../downloads/send-object.ts';
import type { AddressWindow } from '../http/admission/address-window.ts';
import { receiveUpload, type UploadDependencies } from './receive-upload.ts';
import { emptyFile } from './upload-errors.ts';
import { UPLOAD_PREFIX } from './upload-links.ts';

const linkQuery = {
  expires: Type.Optional(Type.String({ description: 'Unix time at which the link ends.' })),
  signature: Type.Optional(Type.String()),
};

interface UploadRoutes {
  readonly links: LinkOptions;
  readonly uploads: UploadDependencies;
  readonly addressWindow: AddressWindow;
}

/** Uploads: stores and serves files by the links of POST /api/v1/uploads. */
export function uploadRoutes({ links, uploads, addressWindow }: UploadRoutes): FastifyPluginAsyncTypebox {
  const { store } = uploads;
  return async (app) => {
    // A file may have any type, and is stored as it arrives.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    /** A link that is refused counts against the address, like any credential. */
    const admitUpload = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        return admitLink('PUT', request.url, links, 'UPLOAD_EXPIRED');
      } catch (error) {
        const { headers, refusal } = await addressWindow.count(request.ip);
        reply.headers(headers);
        throw refusal ?? error;
      }
    };

    app.put(
      `${UPLOAD_PREFIX}*`,
      {
        config: {
          documentedAs: `${UPLOAD_PREFIX}:objectKey`,
          errors: [
            ...(['INVALID_PARAMS', 'INVALID_SIGNATURE', 'UPLOAD_EXPIRED', 'UPLOAD_TIMEOUT'] as const),
            ...(['FILE_TOO_LARGE', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const),
          ],
          bounds: ['uploads'],
        },
        schema: {
          operationId: 'uploadFile',
          tags: ['Files'],
          summary: 'Send a file',
          description:
            'Send the bytes of the file as the body, to a signed link as it was given. Sending again replaces the file. ' +
            'Nothing is kept of a file that is cut off, too slow or not as long as announced; the link works again.',
          querystring: Type.Object({
            ...linkQuery,
            maxBytes: Type.Optional(Type.String({ description: 'Most bytes that the link takes.' })),
            size: Type.Optional(Type.String({ description: 'Size that was announced for the file.' })),
          }),
          response: { 204: Type.Null({ description: 'The file is stored.' }) },
        },
      },
      async (request, reply) => {
        // The rest of a refused body is not read, so the connection cannot be reused.
        reply.header('connection', 'close');
        const { path, params } = await admitUpload(request, reply);
        if (!(request.body instanceof Readable)) throw emptyFile();
        const [, , accountId = '', uploadId = ''] = path.split('/');
        const { 'content-length': length, 'content-type': type } = request.headers;
        const upload = {
          accountId,
          uploadId,
          objectKey: path.slice(1),
          contentType: type ?? 'application/octet-stream',
          maxBytes: Number(params.maxBytes),
          announcedBytes: params.size === undefined ? undefined : Number(params.size),
          contentLength: length === undefined ? undefined : Number(length),
          expiresAt: new Date(Number(request.query.expires) * 1_000),
        };
        await receiveUpload(uploads, upload, request.body);
        return reply.removeHeader('connection').code(204).send(null);
      },
    );

    app.route({
      method: ['GET', 'HEAD'],
      url: `${UPLOAD_PREFIX}*`,
      exposeHeadRoute: false,
      config: {
        documentedAs: `${UPLOAD_PREFIX}:objectKey`,
        errors: FILE_ERRORS,
        bounds: ['downloads'],
      },
      schema: {
        operationId: 'downloadUpload',
        tags: ['Files'],
        summary: 'Read a sent file back',
        description: 'The sourceUrl of an upload, followed as it was given.',
        querystring: Type.Object(linkQuery),
        response: fileResponses,
      },
      handler: (request, reply) => {
        const { path } = admitLink('GET', request.url, links, 'DOWNLOAD_EXPIRED');
        const name = path.slice(path.lastIndexOf('/') + 1);
        return sendObject(request, reply, store, { objectKey: path.slice(1), name });
      },
    });
  };
}
