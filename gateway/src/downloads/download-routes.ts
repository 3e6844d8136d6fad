import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DOWNLOAD_PREFIX, type LinkOptions } from './download-links.ts';
import { FILE_ERRORS, fileResponses } from './file-responses.ts';
import { admitLink } from './link-access.ts';
import { sendObject } from './send-object.ts';

/** Downloads: serves the files behind the signed links of segments, invoices and exports. */
export function downloadRoutes(links: LinkOptions, store: ObjectStore): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: `${DOWNLOAD_PREFIX}*`,
      exposeHeadRoute: false,
      config: {
        documentedAs: `${DOWNLOAD_PREFIX}:objectKey`,
        errors: FILE_ERRORS,
        bounds: ['downloads'],
      },
      schema: {
        operationId: 'downloadFile',
        tags: ['Files'],
        summary: 'Download a file',
        description:
          'Follow a signed link without changing it. Supports Range with one range of bytes, and HEAD. ' +
          'Downloads need no credential and have a separate limit for each address.',
        querystring: Type.Object({
          name: Type.Optional(Type.String({ description: 'Name to save the file under.' })),
          expires: Type.Optional(Type.String({ description: 'Unix time at which the link expires.' })),
          signature: Type.Optional(Type.String()),
        }),
        response: fileResponses,
      },
      handler: (request, reply) => {
        const { path, params } = admitLink('GET', request.url, links, 'DOWNLOAD_EXPIRED');
        const objectKey = path.slice(DOWNLOAD_PREFIX.length);
        return sendObject(request, reply, store, { objectKey, name: params.name ?? 'download' });
      },
    });
  };
}
