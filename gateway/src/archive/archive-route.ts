import { parse } from 'node:path/posix';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../http/errors/api-error.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { JobParams } from '../schemas/splits.ts';
import { archiveSizeBytes, createArchive } from './archive.ts';

const READER: Access = { kind: 'apiKey', scope: 'splits:read' };

const archiveResponse: Readonly<Record<number, unknown>> = {
  200: {
    description: 'The archive.',
    content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
  },
};

/** GET and HEAD /splits/:jobId/archive */
export function archiveRoute(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/splits/:jobId/archive',
      exposeHeadRoute: false,
      ...endpoint({
        access: READER,
        errors: ['JOB_NOT_FOUND', 'JOB_NOT_COMPLETED', 'SEGMENTS_EXPIRED'],
        schema: {
          operationId: 'downloadSplitArchive',
          tags: ['Splits'],
          summary: 'Download all segments',
          description:
            'One zip file with every segment of a completed job under its own name, stored without compression and ' +
            'made while it is sent. Its length is known beforehand; ranges of it cannot be had.',
          params: JobParams,
          response: archiveResponse,
        },
      }),
      handler: (request, reply) => sendArchive(dependencies, request, reply, request.params.jobId),
    });
  };
}

export async function sendArchive(
  { services: { jobs, actingFor }, store }: Pick<RouteDependencies, 'services' | 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  jobId: string,
): Promise<FastifyReply> {
  const answer = await jobs.getJob({ jobId }, actingFor(principalOf(request)));
  const job = present(answer.job, 'a job');
  const entries = entriesOf(job);
  reply.headers({
    'content-type': 'application/zip',
    'content-disposition': contentDisposition(archiveName(job)),
    'content-length': archiveSizeBytes(entries),
    'accept-ranges': 'none',
  });
  if (request.method === 'HEAD') return reply.send();
  const madeAt = timestampDate(present(job.completedAt, 'the time of its completion'));
  return reply.send(
    createArchive(entries, madeAt, async ({ objectKey }) => (await store.get(objectKey)).body),
  );
}

/** Throws 409 JOB_NOT_COMPLETED, 410 SEGMENTS_EXPIRED. */
function entriesOf({ id, status, segments, segmentsExpiredAt }: Job) {
  if (status === JobStatus.FAILED) {
    throw new ApiError('JOB_NOT_COMPLETED', `Job ${id} has failed: there are no segments.`);
  }
  if (status !== JobStatus.COMPLETED) {
    throw new ApiError('JOB_NOT_COMPLETED', `Job ${id} has not completed yet: wait until it has.`);
  }
  if (segmentsExpiredAt !== undefined) {
    throw new ApiError(
      'SEGMENTS_EXPIRED',
      `The segments of job ${id} have been removed: split the source again.`,
    );
  }
  return segments.map(({ objectKey, fileName, sizeBytes }) => ({
    name: fileName,
    sizeBytes: Number(sizeBytes),
    objectKey,
  }));
}

function archiveName({ id, sourceFileName }: Job): string {
  return `${parse(sourceFileName ?? id).name}.zip`;
}
