import { WaveformState } from '@audiosplit/proto/jobs/v1/jobs';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Principal } from '../credentials/principal.ts';
import { ApiError } from '../http/errors/api-error.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { ref } from '../schemas/ref.ts';
import { JobParams } from '../schemas/splits.ts';
import { PendingWaveform, Waveform, WaveformQuery } from '../schemas/waveform.ts';
import { requireResult } from './require-segments.ts';
import { toWaveform } from './waveform-data.ts';

const READER: Access = { kind: 'apiKey', scope: 'splits:read' };
const DEFAULT_POINTS = 2_000;
const RETRY_AFTER_SECONDS = 2;

/** GET /splits/:jobId/waveform */
export function waveformRoute({ services }: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/splits/:jobId/waveform',
      endpoint({
        access: READER,
        errors: ['JOB_NOT_FOUND', 'NOT_FOUND', 'JOB_NOT_COMPLETED', 'SEGMENTS_EXPIRED'],
        schema: {
          operationId: 'getSplitWaveform',
          tags: ['Splits'],
          summary: 'Read the waveform of a job',
          description:
            'The sound of a completed job over the length of its source, drawn from its segments: what lies in none of them ' +
            'is flat. That of a dry run is drawn from its source: of an upload likewise, of a link by the dry run itself, but ' +
            'where that reads no more than a part of it. It is drawn when it is first asked for, once jobs leave room; until ' +
            'then the answer is 202 with `Retry-After`. It is kept as long as the segments, costs no minutes, and takes no ' +
            'place of a job. Of an account one is drawn at a time.',
          params: JobParams,
          querystring: WaveformQuery,
          response: { 200: ref(Waveform), 202: ref(PendingWaveform) },
        },
      }),
      async (request, reply) => {
        const { points = DEFAULT_POINTS } = request.query;
        const waveform = await readWaveform(services, principalOf(request), request.params.jobId, points);
        if (waveform !== undefined) return reply.send(waveform);
        return reply
          .code(202)
          .header('retry-after', String(RETRY_AFTER_SECONDS))
          .send({ status: 'processing' });
      },
    );
  };
}

/** Undefined while it is being drawn. Throws the errors that the route declares. */
export async function readWaveform(
  { jobs, actingFor }: RouteDependencies['services'],
  principal: Principal,
  jobId: string,
  points: number,
): Promise<Waveform | undefined> {
  const asCaller = actingFor(principal);
  requireResult(present((await jobs.getJob({ jobId, omitSegments: true }, asCaller)).job, 'a job'));
  const { state, waveform } = await jobs.getWaveform({ jobId }, asCaller);
  if (state === WaveformState.READY) return toWaveform(waveform, points);
  if (state === WaveformState.PENDING) return undefined;
  throw new ApiError(
    'NOT_FOUND',
    `There is no waveform of job ${jobId}: there is nothing that can be drawn.`,
  );
}
