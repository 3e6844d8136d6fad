import { jobStatuses } from '@audiosplit/proto/enum-words';
import { CreateJobRequestSchema, JobSortField, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { archiveRoute } from '../archive/archive-route.ts';
import type { Principal } from '../credentials/principal.ts';
import { eventRoute } from '../events/event-route.ts';
import { ApiError } from '../http/errors/api-error.ts';
import { MAX_LISTING_BODY_BYTES } from '../http/input/json-body.ts';
import { stringifyMembers } from '../http/input/json-text.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present } from '../mapping/messages.ts';
import { fromProtoJob, fromProtoJobRow, toQueuedJob } from '../mapping/splits.ts';
import { pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import {
  CompletedJob,
  CreateJobBody,
  FailedJob,
  JobList,
  JobParams,
  ListJobsQuery,
  ProcessingJob,
  QueuedJob,
} from '../schemas/splits.ts';
import { waveformRoute } from '../segments/waveform-route.ts';
import { uploadKeyOf } from '../uploads/uploaded-source.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { requireFittingBody, toCreateJobRequest } from './split-request.ts';
import { splitSearchRoute } from './split-search.ts';

const tags = ['Splits'];
const READER: Access = { kind: 'apiKey', scope: 'splits:read' };
const WRITER: Access = { kind: 'apiKey', scope: 'splits:write' };

/** Checking the source's size takes up to 3 s; the rest is the service's own work. */
const CREATE_TIMEOUT_MS = 10_000;

export function splitRoutes(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  const { downloads } = dependencies;
  const { jobs, actingFor } = dependencies.services;
  return async (app) => {
    // The framework's serialiser does not support metadata as text.
    app.setSerializerCompiler(() => stringifyMembers);
    app.post(
      '/splits',
      {
        bodyLimit: MAX_LISTING_BODY_BYTES,
        preValidation: async ({ body, jsonText = '' }) => requireFittingBody(body, jsonText),
        ...endpoint({
          access: WRITER,
          errors: [
            'EMAIL_NOT_VERIFIED',
            'QUOTA_EXCEEDED',
            'SPEND_LIMIT_REACHED',
            'FILE_TOO_LARGE',
            'QUEUE_FULL',
            'CONNECTION_SECRET_LOST',
          ],
          schema: {
            operationId: 'createSplit',
            tags,
            summary: 'Split an audio file',
            description:
              'Accepts the job and returns at once; read the job later for its segments. ' +
              'Without `outputFormat` the codec of the source decides: AAC becomes `aac`, Opus and Vorbis become `ogg`, ' +
              'FLAC, ALAC, WavPack, TTA and WMA lossless become `flac`, PCM becomes `wav`, all others become `mp3`. ' +
              'Lossless audio stays lossless, and audio that can be copied is not encoded again.',
            body: CreateJobBody,
            response: { 201: ref(QueuedJob) },
          },
        }),
      },
      async (request, reply) => {
        const jobRequest = toCreateJobRequest(request.body, request.jsonText ?? '');
        return reply.code(201).send(await createSplit(dependencies, principalOf(request), jobRequest));
      },
    );

    app.get(
      '/splits',
      endpoint({
        access: READER,
        schema: {
          operationId: 'listSplits',
          tags,
          summary: 'List jobs',
          querystring: ListJobsQuery,
          response: { 200: ref(JobList) },
        },
      }),
      async (request) => {
        const { status, sortBy, sortOrder, batchId } = request.query;
        const page = pageOf(request.query);
        const found = await jobs.listJobs(
          {
            ...page,
            status: status === undefined ? JobStatus.UNSPECIFIED : jobStatuses.toEnum(status),
            sortBy: sortBy === 'completedAt' ? JobSortField.COMPLETED_AT : JobSortField.CREATED_AT,
            ascending: sortOrder === 'asc',
            ...(batchId === undefined ? {} : { batchId }),
          },
          actingFor(principalOf(request)),
        );
        return { data: found.jobs.map(fromProtoJobRow), pagination: toPagination(page, found.total) };
      },
    );

    app.get(
      '/splits/:jobId',
      endpoint({
        access: READER,
        errors: ['JOB_NOT_FOUND'],
        schema: {
          operationId: 'getSplit',
          tags,
          summary: 'Read a job',
          description: 'The fields depend on the status. Each read returns new download links.',
          params: JobParams,
          response: {
            200: Type.Union([ref(QueuedJob), ref(ProcessingJob), ref(CompletedJob), ref(FailedJob)]),
          },
        },
      }),
      async (request) =>
        fromProtoJob(await jobs.getJob(request.params, actingFor(principalOf(request))), downloads),
    );

    app.delete(
      '/splits/:jobId',
      endpoint({
        access: WRITER,
        errors: ['JOB_NOT_FOUND', 'JOB_ALREADY_PROCESSING'],
        schema: {
          operationId: 'deleteSplit',
          tags,
          summary: 'Delete a job',
          description: 'Removes the job and all its segments permanently. A running job cannot be deleted.',
          params: JobParams,
          response: { 204: Type.Null({ description: 'Deleted.' }) },
        },
      }),
      async (request, reply) => {
        await jobs.deleteJob(request.params, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/splits/:jobId/cancel',
      endpoint({
        access: WRITER,
        errors: ['JOB_NOT_FOUND', 'JOB_ALREADY_FINISHED'],
        whileSuspended: true,
        schema: {
          operationId: 'cancelSplit',
          tags,
          summary: 'Stop a job',
          description: 'A queued or running job fails with CANCELED.',
          params: JobParams,
          body: Type.Object({}, { additionalProperties: false }),
          response: { 200: ref(FailedJob) },
        },
      }),
      async (request, reply) => {
        const job = fromProtoJob(
          await jobs.cancelJob(request.params, actingFor(principalOf(request))),
          downloads,
        );
        if (job.status !== 'failed') throw new Error(`a canceled job is ${job.status}`);
        return reply.send(job);
      },
    );

    await app.register(splitSearchRoute(dependencies));
    await app.register(eventRoute(dependencies));
    await app.register(archiveRoute(dependencies));
    await app.register(waveformRoute(dependencies));
  };
}

/** Throws the errors that the route declares. */
export async function createSplit(
  { links, services: { jobs, webhooks, actingFor } }: Pick<RouteDependencies, 'links' | 'services'>,
  principal: Principal,
  requested: MessageInitShape<typeof CreateJobRequestSchema>,
): Promise<QueuedJob> {
  requireVerifiedEmail(principal);
  const message = create(CreateJobRequestSchema, requested);
  const split = present(message.request, "a job's request");
  const uploadKey = uploadKeyOf(split.sourceUrl, principal.accountId, links);
  if (uploadKey === undefined) delete split.uploadKey;
  else split.uploadKey = uploadKey;

  const asCaller = actingFor(principal);
  if (message.webhookUrl !== undefined) await webhooks.checkTarget({ url: message.webhookUrl }, asCaller);
  const { job } = await jobs.createJob(message, { ...asCaller, timeoutMs: CREATE_TIMEOUT_MS });
  return toQueuedJob(present(job, 'a job'));
}

/** Throws 403 EMAIL_NOT_VERIFIED. */
export function requireVerifiedEmail({ mustVerifyEmail }: Principal): void {
  if (!mustVerifyEmail) return;
  throw new ApiError(
    'EMAIL_NOT_VERIFIED',
    'Verify the mail address of the account first: open the link that was mailed to it, or request another one ' +
      'with POST /api/v1/account/email/verification.',
  );
}
