import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorize } from '../http/admission/admission.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { addressBucket } from '../http/server/client-address.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import { toJobNotice } from '../mapping/splits.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { PATTERNS } from '../schemas/patterns.ts';
import { JobParams } from '../schemas/splits.ts';
import { END_ID, eventIdOf, NOTHING_ID } from './job-event.ts';

const READER: Access = { kind: 'apiKey', scope: 'splits:read' };

const STREAM_EXAMPLE = `retry: 2000

id: 42
event: progress
data: {"progress":42,"phase":"cutting"}

id: 101
event: completed
data: {"id":"job_01jq8z5c7mexample0000000000","status":"completed","splitMode":"duration",…}
`;

const streamResponses: Readonly<Record<number, unknown>> = {
  200: {
    description: 'The stream.',
    content: { 'text/event-stream': { schema: Type.String({ examples: [STREAM_EXAMPLE] }) } },
  },
  204: Type.Null({ description: 'The job has ended, and the client has received its end.' }),
};

/** GET /splits/:jobId/events */
export function eventRoute({
  services,
  credentials,
  eventStreams,
}: RouteDependencies): FastifyPluginAsyncTypebox {
  const { jobs, actingFor } = services;
  return async (app) => {
    app.get(
      '/splits/:jobId/events',
      {
        // HEAD on a stream would never end.
        exposeHeadRoute: false,
        ...endpoint({
          access: READER,
          errors: ['JOB_NOT_FOUND', 'TOO_MANY_STREAMS'],
          bounds: ['streams'],
          schema: {
            operationId: 'followSplit',
            tags: ['Splits'],
            summary: 'Follow a job',
            description:
              'Server-sent events until the job ends: `progress` with `progress` in per cent, the `phase`, and `fetching` while the source is fetched, then `completed` or ' +
              '`failed` with the job as in a list, its `error` and its `metadata`. A client that reconnects ' +
              'with Last-Event-ID is sent what it has not seen; one that has seen the end gets 204, which tells an ' +
              'EventSource not to reconnect. A stream may end before the job does, when the gateway is replaced or the key ' +
              'is revoked: reconnect.',
            params: JobParams,
            headers: Type.Object({
              'last-event-id': Type.Optional(
                Type.String({
                  pattern: PATTERNS.jobEventId,
                  description: 'Id of the last event received.',
                }),
              ),
            }),
            response: streamResponses,
          },
        }),
      },
      async (request, reply) => {
        const { jobId } = request.params;
        const principal = principalOf(request);
        const { authorization, 'x-api-key': apiKey, 'last-event-id': lastEventId } = request.headers;
        const readJob = async () => {
          const { job } = await jobs.getJob({ jobId, omitSegments: true }, actingFor(principal));
          return present(job, 'a job');
        };
        const state = await readJob();
        const seenId = lastEventId === undefined ? NOTHING_ID : Number(lastEventId);
        if (seenId === END_ID && eventIdOf(state) === END_ID) return reply.code(204).send(null);

        const stream = eventStreams.open({
          accountId: principal.accountId,
          address: addressBucket(request.ip),
          jobId,
          state,
          seenId,
          async checkAccess() {
            const presented = { authorization, apiKey: String(apiKey) };
            authorize(await credentials.verifyApiKey(presented, async () => {}), READER);
          },
          readNotice: async () => toJobNotice(await readJob()),
        });
        return (
          reply
            .type('text/event-stream; charset=utf-8')
            // Stops proxies such as nginx from buffering the response.
            .header('x-accel-buffering', 'no')
            .send(stream)
        );
      },
    );
  };
}
