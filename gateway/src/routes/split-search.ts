import { jobStatuses } from '@audiosplit/proto/enum-words';
import { JobStatus, type SearchJobsRequest, type SearchJobsResponse } from '@audiosplit/proto/jobs/v1/jobs';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import { invalidParams } from '../http/input/validation.ts';
import { principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { toIsoTime } from '../mapping/messages.ts';
import { fromProtoJobRow } from '../mapping/splits.ts';
import { pageOf } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import { FoundJobs, type SearchJobsInput, SearchJobsQuery } from '../schemas/splits.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** GET /splits/search */
export function splitSearchRoute({
  services: { jobs, actingFor },
}: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/splits/search',
      {
        preValidation: async ({ url }) => requireDecodable(url),
        ...endpoint({
          access: { kind: 'apiKey', scope: 'splits:read' },
          schema: {
            operationId: 'searchSplits',
            tags: ['Splits'],
            summary: 'Search jobs',
            description:
              'Jobs by name, link or id, newest first. A call reads a bounded number of jobs, so it takes as long ' +
              'with ten million of them as with a few; `nextPageToken` goes on from there.',
            querystring: SearchJobsQuery,
            response: { 200: ref(FoundJobs) },
          },
        }),
      },
      async (request) => {
        const { canceled, ...query } = request.query;
        const search = toSearch({
          ...query,
          ...pageOf(query),
          ...(canceled === undefined ? {} : { canceled: canceled === 'true' }),
        });
        const found = await jobs.searchJobs(search, actingFor(principalOf(request)));
        return { data: found.jobs.map(fromProtoJobRow), ...whereItEnds(found) };
      },
    );
  };
}

/** The query parser leaves invalid UTF-8 encoded, and the search would then look for per cent signs. */
function requireDecodable(url: string): void {
  try {
    decodeURIComponent(url);
  } catch {
    throw invalidParams([{ field: 'text', message: 'must be percent-encoded UTF-8' }]);
  }
}

export function toSearch({ text, status, canceled, limit, pageToken = '' }: Static<typeof SearchJobsInput>) {
  return {
    text,
    limit,
    pageToken,
    status: status === undefined ? JobStatus.UNSPECIFIED : jobStatuses.toEnum(status),
    ...(canceled === undefined ? {} : { canceled }),
  } satisfies Partial<SearchJobsRequest>;
}

export function whereItEnds({
  nextPageToken,
  lookedBackTo,
}: Pick<SearchJobsResponse, 'nextPageToken' | 'lookedBackTo'>) {
  return {
    ...(nextPageToken === '' ? {} : { nextPageToken }),
    ...(lookedBackTo === undefined ? {} : { lookedBackTo: toIsoTime(lookedBackTo) }),
  };
}
