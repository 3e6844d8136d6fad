import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { Principal } from '../credentials/principal.ts';
import { principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import { ref } from '../schemas/ref.ts';
import { CreateUploadBody, Upload } from '../schemas/uploads.ts';
import { createUploadLinks, type UploadLinks } from '../uploads/upload-links.ts';
import type { RouteDependencies } from './route-dependencies.ts';

export function uploadLinkRoutes({ links, services }: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/uploads',
      endpoint({
        access: { kind: 'apiKey', scope: 'splits:write' },
        errors: ['FILE_TOO_LARGE', 'UPLOAD_LIMIT_REACHED'],
        schema: {
          operationId: 'createUpload',
          tags: ['Files'],
          summary: 'Send a source file',
          description:
            'For files without a public URL: PUT the file to one link, and use the other as the source of a split. Uploads in ' +
            'progress and bytes that no job uses yet are limited by the plan.',
          body: CreateUploadBody,
          response: { 201: ref(Upload) },
        },
      }),
      async (request, reply) => {
        const upload = await reserveUpload({ links, services }, principalOf(request), request.body);
        return reply.code(201).send(upload);
      },
    );
  };
}

/** Reserves an upload and returns its links. */
export async function reserveUpload(
  { links, services: { jobs, actingFor } }: Pick<RouteDependencies, 'links' | 'services'>,
  principal: Principal,
  { fileName, size }: Static<typeof CreateUploadBody>,
): Promise<UploadLinks> {
  const { uploadId, reservedAt } = await jobs.reserveUpload(
    size === undefined ? {} : { sizeBytes: BigInt(size) },
    actingFor(principal),
  );
  return createUploadLinks(links, {
    accountId: principal.accountId,
    uploadId,
    reservedAt: timestampDate(present(reservedAt, 'a time')),
    maxBytes: principal.maxFileSizeBytes,
    size,
    fileName,
  });
}
