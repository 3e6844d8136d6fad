import { toCutRequest } from '@audiosplit/proto/cut';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../credentials/principal.ts';
import { ApiError } from '../http/errors/api-error.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import type { RouteDependencies } from '../routes/route-dependencies.ts';
import { BatchParams } from '../schemas/batches.ts';
import type { Services } from '../services.ts';
import { baseNameOf } from './archive-route.ts';
import { foldersOf } from './folders.ts';
import { archiveResponse, type SentEntry, sendArchive } from './send-archive.ts';

const READER: Access = { kind: 'apiKey', scope: 'splits:read' };
/** The maximum of a job. */
const MAX_SEGMENTS = 10_000;

/** GET and HEAD /batches/:batchId/archive */
export function batchArchiveRoute(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/batches/:batchId/archive',
      exposeHeadRoute: false,
      ...endpoint({
        access: READER,
        errors: ['NOT_FOUND', 'JOB_NOT_COMPLETED', 'ARCHIVE_TOO_LARGE'],
        schema: {
          operationId: 'downloadBatchArchive',
          tags: ['Batches'],
          summary: 'Download all segments of a batch',
          description:
            'One zip file with a folder for each completed job, named as its source, once no job of the batch is queued or ' +
            `running; stored without compression and created while it is sent. Its length is known beforehand. At most ${MAX_SEGMENTS.toLocaleString('en')} segments.`,
          params: BatchParams,
          response: archiveResponse,
        },
      }),
      handler: (request, reply) => sendBatchArchive(dependencies, request, reply, request.params.batchId),
    });
  };
}

export async function sendBatchArchive(
  { services, store }: Pick<RouteDependencies, 'services' | 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  batchId: string,
): Promise<FastifyReply> {
  const { entries, createdAt } = await readBatchArchive(services, principalOf(request), batchId);
  return sendArchive(request, reply, { fileName: `${batchId}.zip`, entries, madeAt: createdAt, store });
}

interface BatchArchive {
  readonly entries: readonly SentEntry[];
  readonly createdAt: Date;
}

/** The archive's content. Throws 404 NOT_FOUND, 409 JOB_NOT_COMPLETED, 409 ARCHIVE_TOO_LARGE. */
export async function readBatchArchive(
  { jobs, actingFor }: Services,
  principal: Principal,
  batchId: string,
): Promise<BatchArchive> {
  const asCaller = actingFor(principal);
  const batch = present((await jobs.getBatch({ batchId }, asCaller)).batch, 'a batch');
  const left = batch.queued + batch.processing;
  if (left > 0) {
    throw new ApiError(
      'JOB_NOT_COMPLETED',
      `${left} jobs of batch ${batchId} are queued or running: wait until they have ended.`,
    );
  }
  const entries: SentEntry[] = [];
  const folders = foldersOf();
  let pageToken = '';
  do {
    const page = await jobs.walkJobs({ pageToken, batchId }, asCaller);
    for (const job of page.jobs.filter(hasFiles)) {
      const folder = folders(baseNameOf(job));
      for (const { objectKey, fileName, sizeBytes } of job.segments)
        entries.push({ name: `${folder}/${fileName}`, sizeBytes: Number(sizeBytes), objectKey });
    }
    if (entries.length > MAX_SEGMENTS) {
      throw new ApiError(
        'ARCHIVE_TOO_LARGE',
        `Batch ${batchId} has more than ${MAX_SEGMENTS} segments: download its jobs one by one.`,
      );
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  if (entries.length === 0) throw new ApiError('NOT_FOUND', `No job of batch ${batchId} has files.`);
  return { entries, createdAt: timestampDate(present(batch.createdAt, 'the time of its creation')) };
}

function hasFiles({ status, request, segmentsExpiredAt }: Job): boolean {
  if (status !== JobStatus.COMPLETED || segmentsExpiredAt !== undefined) return false;
  const split = present(request, "a job's request");
  return toCutRequest(readCut(split))?.dryRun !== true && split.destination?.keepCopy !== false;
}
