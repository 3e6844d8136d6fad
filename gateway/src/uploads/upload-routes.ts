import { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { LinkOptions } from '../downloads/download-links.ts';
import { FILE_ERRORS, fileResponses } from '../downloads/file-responses.ts';
import { admitLink } from '../downloads/link-access.ts';
import { sendObject } from '../downloads/send-object.ts';
import { boundedBody, emptyFile, fileTooLarge } from './bounded-body.ts';
import { UPLOAD_PREFIX } from './upload-links.ts';

const linkQuery = {
  expires: Type.Optional(Type.String({ description: 'Unix time at which the link ends.' })),
  signature: Type.Optional(Type.String()),
};

/** Uploads: stores and serves files by the links of POST /api/v1/uploads. */
export function uploadRoutes(links: LinkOptions, store: ObjectStore): FastifyPluginAsyncTypebox {
  return async (app) => {
    // A file may have any type, and is stored as it arrives.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    app.put(
      `${UPLOAD_PREFIX}*`,
      {
        config: {
          documentedAs: `${UPLOAD_PREFIX}:objectKey`,
          errors: ['INVALID_PARAMS', 'INVALID_SIGNATURE', 'UPLOAD_EXPIRED', 'FILE_TOO_LARGE'],
          bounds: ['uploads'],
        },
        schema: {
          operationId: 'uploadFile',
          tags: ['Files'],
          summary: 'Send a file',
          description:
            'Send the bytes of the file as the body, to a signed link as it was given. Sending again replaces the file.',
          querystring: Type.Object({
            ...linkQuery,
            maxBytes: Type.Optional(Type.String({ description: 'Most bytes that the link takes.' })),
          }),
          response: { 204: Type.Null({ description: 'The file is stored.' }) },
        },
      },
      async (request, reply) => {
        const { path, params } = admitLink('PUT', request.url, links, 'UPLOAD_EXPIRED');
        const maxBytes = Number(params.maxBytes);
        try {
          if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
          if (!(request.body instanceof Readable)) throw emptyFile();
          await store.put(path.slice(1), boundedBody(request.body, maxBytes), {
            contentType: request.headers['content-type'] ?? 'application/octet-stream',
          });
        } catch (error) {
          // The rest of a refused body is not read, so the connection cannot be reused.
          reply.header('connection', 'close');
          throw error;
        }
        return reply.code(204).send(null);
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
