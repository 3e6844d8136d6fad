/** Creates uploads by tus 1.0: POST, and OPTIONS for what this server can do. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Upload as TusUpload } from '@tus/server';
import { principalOf } from '../../http/server/access.ts';
import { endpoint } from '../../http/server/endpoint.ts';
import type { RouteDependencies } from '../../routes/route-dependencies.ts';
import { ref } from '../../schemas/ref.ts';
import { Upload } from '../../schemas/uploads.ts';
import { type CreatedUpload, createResumableUpload } from './create-resumable-upload.ts';
import { answerByTus } from './tus-answers.ts';
import { CREATION_HEADERS } from './tus-headers.ts';
import { createUploadLocks } from './upload-locks.ts';

export const TUS_EXTENSIONS = ['creation', 'expiration', 'termination'];
/** As long as the links last. */
export const TUS_EXPIRATION_MS = 24 * 3_600_000;
const PATH = '/uploads/tus';

export function tusCreationRoutes(routes: RouteDependencies): FastifyPluginAsyncTypebox {
  const locker = createUploadLocks();
  return async (app) => {
    app.post(
      PATH,
      endpoint({
        access: { kind: 'apiKey', scope: 'splits:write' },
        errors: [
          'FILE_TOO_LARGE',
          'UPLOAD_LIMIT_REACHED',
          'TUS_VERSION_UNSUPPORTED',
          'UNSUPPORTED_MEDIA_TYPE',
        ],
        documentedHeaders: CREATION_HEADERS,
        requiredHeaders: ['Tus-Resumable', 'Upload-Length'],
        schema: {
          operationId: 'createResumableUpload',
          tags: ['Files'],
          summary: 'Begin to send a file in parts',
          description:
            'Creates an upload by the protocol tus 1.0, for files that may break off on their way: any tus client sends it, ' +
            'in parts of 8 MiB, and goes on where it broke off for 24 hours. The request has the headers ' +
            '`Tus-Resumable: 1.0.0` and `Upload-Length`, maybe `Upload-Metadata` with `filename` and `filetype`, and no ' +
            'body. The address of the upload is in `Location`, and that of the file in `Upload-Source-Url` of every answer.',
          response: { 201: ref(Upload) },
        },
      }),
      async (request, reply) => {
        let created: CreatedUpload | undefined;
        let size: number | undefined;
        await answerByTus({
          request,
          reply,
          store: {
            extensions: TUS_EXTENSIONS,
            getExpiration: () => TUS_EXPIRATION_MS,
            async create(upload) {
              size = upload.size;
              return Object.assign(upload, { creation_date: new Date().toISOString() });
            },
            getUpload: async (id) =>
              new TusUpload({ id, offset: 0, ...(size === undefined ? {} : { size }) }),
          },
          options: {
            locker,
            async namingFunction(_request, metadata = {}) {
              const sizeBytes = Number(request.headers['upload-length']);
              created = await createResumableUpload(routes, principalOf(request), { sizeBytes, metadata });
              return created.uploadId;
            },
            generateUrl: () => created?.uploadUrl ?? '',
          },
        });
        if (created === undefined) throw new Error('the upload was not created');
        const { uploadId: _, ...links } = created;
        return reply.header('upload-source-url', links.sourceUrl).send(links);
      },
    );

    app.options(PATH, { config: { bounds: ['pages'] }, schema: { hide: true } }, async (request, reply) => {
      const store = { extensions: TUS_EXTENSIONS };
      await answerByTus({ request, reply, store, options: { locker } });
      return reply.send();
    });
  };
}
