import { runWithoutIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { jobStatuses } from '@audiosplit/proto/enum-words';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobSortField, JobStatus, type Job as ProtoJob } from '@audiosplit/proto/jobs/v1/jobs';
import { tracked } from '@trpc/server';
import { type Static, Type } from 'typebox';
import { END_ID, type JobEvent, NOTHING_ID } from '../events/job-event.ts';
import { authorize } from '../http/admission/admission.ts';
import { invalidParams } from '../http/input/validation.ts';
import { addressBucket } from '../http/server/client-address.ts';
import { present } from '../mapping/messages.ts';
import { fromProtoJob, fromProtoJobRow, toFetching, toJobNotice } from '../mapping/splits.ts';
import { toCreateJobRequest, toRetryRequest } from '../routes/split-request.ts';
import { toSearch, whereItEnds } from '../routes/split-search.ts';
import { createSplit } from '../routes/splits.ts';
import { reserveUpload } from '../routes/uploads.ts';
import { CLOSED } from '../schemas/fields.ts';
import { MAX_PAGE_SIZE, pageOf, toPagination } from '../schemas/pagination.ts';
import { PATTERNS } from '../schemas/patterns.ts';
import type { Fetching, Job, JobRow } from '../schemas/splits.ts';
import { CreateJobBody, JobParams, ListJobsQuery, SearchJobsInput } from '../schemas/splits.ts';
import { CreateUploadBody } from '../schemas/uploads.ts';
import { MAX_POINTS } from '../schemas/waveform.ts';
import { readWaveform } from '../segments/waveform-route.ts';
import { createResumableUpload } from '../uploads/resumable/create-resumable-upload.ts';
import { ACCESS_COOKIE, readCookie } from './cookies.ts';
import { input, procedure, procedureWhileSuspended, router, SESSION } from './trpc.ts';

const FollowInput = Type.Object({
  jobId: JobParams.properties.jobId,
  lastEventId: Type.Optional(Type.String({ pattern: PATTERNS.jobEventId })),
});
const ReadJobInput = Type.Object({ jobId: JobParams.properties.jobId });
const RetryInput = Type.Object(
  { jobId: JobParams.properties.jobId, sourceHeaders: CreateJobBody.properties.sourceHeaders },
  CLOSED,
);
const WaveformInput = Type.Object(
  { jobId: JobParams.properties.jobId, points: Type.Integer({ minimum: 1, maximum: MAX_POINTS }) },
  CLOSED,
);

const CreateResumableUploadInput = Type.Object(
  {
    fileName: Type.String({ minLength: 1, maxLength: 255, pattern: PATTERNS.plainFileName }),
    fileType: Type.String({ maxLength: 255 }),
    size: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  CLOSED,
);

/** At most one page of the list. */
const RemoveManyInput = Type.Object(
  { jobIds: Type.Array(JobParams.properties.jobId, { minItems: 1, maxItems: MAX_PAGE_SIZE }) },
  CLOSED,
);
export type RemovalOutcome = 'deleted' | 'running' | 'gone';

type Shown<T> = T extends unknown ? Omit<T, 'metadata'> : never;

/** How a person recognises the job. */
export interface Source {
  readonly sourceName: string;
  readonly sourceUrl: string;
}

export interface ReadSource extends Source {
  /** Position of a queued job in the account's queue, from 1. */
  readonly queuePosition?: number;
  /** Exact to the millisecond. Absent until known. */
  readonly sourceSeconds?: number;
}

/** A row of the console's list: the API's row and its progress. */
export type ListedJob = JobRow &
  Source & {
    /** Exact to the millisecond. Absent until known. */
    readonly sourceSeconds?: number;
    readonly sourceBytes?: number;
    /** Whether the file was sent to this installation. */
    readonly isUpload: boolean;
    /** Absent if no headers of the caller were sent with requests for the source. */
    readonly sourceHeaderNames?: readonly string[];
    readonly progress: number;
    readonly fetching?: Static<typeof Fetching>;
  };

export const jobsRouter = router({
  createResumableUpload: procedure
    .input(input(CreateResumableUploadInput))
    .mutation(async ({ ctx, input: { fileName, fileType, size } }) => {
      const metadata = { filename: fileName, filetype: fileType };
      const upload = { sizeBytes: size, metadata };
      const { uploadUrl, expiresAt } = await createResumableUpload(ctx.routes, ctx.principal, upload);
      return { uploadUrl, expiresAt };
    }),

  /** For pages that were loaded before an update. */
  createUpload: procedure
    .input(input(CreateUploadBody))
    .mutation(({ ctx, input }) => reserveUpload(ctx.routes, ctx.principal, input)),

  create: procedure.input(input(CreateJobBody)).mutation(async ({ ctx, input }) => {
    if (input.metadata !== undefined) throw invalidParams([{ field: 'metadata', message: 'is for the API' }]);
    return withoutMetadata(await createSplit(ctx.routes, ctx.principal, toCreateJobRequest(input, '')));
  }),

  /** Creates a job with the same request. */
  retry: procedure.input(input(RetryInput)).mutation(async ({ ctx, input }) => {
    const { jobId, sourceHeaders } = input;
    // The idempotency key of this call is for the new job, not for the read.
    const answer = await runWithoutIdempotencyKey(() =>
      ctx.services.jobs.getJob({ jobId, omitSegments: true }, ctx.asCaller),
    );
    const again = toRetryRequest(present(answer.job, 'a job'), sourceHeaders);
    return withoutMetadata(await createSplit(ctx.routes, ctx.principal, again));
  }),

  list: procedure.input(input(ListJobsQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const found = await ctx.services.jobs.listJobs(
      {
        ...page,
        status: toProtoStatus(input.status),
        sortBy: input.sortBy === 'completedAt' ? JobSortField.COMPLETED_AT : JobSortField.CREATED_AT,
        ascending: input.sortOrder === 'asc',
      },
      ctx.asCaller,
    );
    return { data: found.jobs.map(toListedJob), pagination: toPagination(page, found.total) };
  }),

  /** Searches by name, link and id. Scans a bounded number of jobs and returns how far back it got. */
  search: procedure.input(input(SearchJobsInput)).query(async ({ ctx, input }) => {
    const found = await ctx.services.jobs.searchJobs(toSearch(input), ctx.asCaller);
    return { data: found.jobs.map(toListedJob), ...whereItEnds(found) };
  }),

  get: procedure
    .input(input(ReadJobInput))
    .query(async ({ ctx, input }): Promise<Shown<Job> & ReadSource> => {
      const answer = await ctx.services.jobs.getJob(input, ctx.asCaller);
      const job = fromProtoJob(answer, ctx.routes.downloads);
      const read = present(answer.job, 'a job');
      return { ...withoutMetadata(job), ...sourceOf(read), ...exactLengthOf(read), ...placeOf(read) };
    }),

  /** Null while it is being drawn. */
  waveform: procedure
    .input(input(WaveformInput))
    .query(
      async ({ ctx, input }) =>
        (await readWaveform(ctx.services, ctx.principal, input.jobId, input.points)) ?? null,
    ),

  cancel: procedureWhileSuspended.input(input(ReadJobInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.jobs.cancelJob(input, ctx.asCaller);
    return null;
  }),

  remove: procedureWhileSuspended.input(input(ReadJobInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.jobs.deleteJob(input, ctx.asCaller);
    return null;
  }),

  /** Deletes many jobs at once and returns the result for each. Running jobs must be canceled first. */
  removeMany: procedureWhileSuspended.input(input(RemoveManyInput)).mutation(async ({ ctx, input }) => {
    // The idempotency key of this call covers all of them.
    const remove = (jobId: string) =>
      runWithoutIdempotencyKey(() => ctx.services.jobs.deleteJob({ jobId }, ctx.asCaller));
    const removals: { readonly jobId: string; readonly outcome: RemovalOutcome }[] = [];
    for (const jobId of new Set(input.jobIds)) {
      removals.push({ jobId, outcome: await outcomeOf(remove(jobId)) });
    }
    return removals;
  }),

  /**
   * Streams a job's events until the job or the session ends. A client must reopen a stream that ends without
   * an end event.
   */
  follow: procedure.input(input(FollowInput)).subscription(async function* ({ ctx, input, signal }) {
    const { request, routes, services, asCaller, principal } = ctx;
    const { jobId, lastEventId } = input;
    const readJob = async () =>
      present((await services.jobs.getJob({ jobId, omitSegments: true }, asCaller)).job, 'a job');
    const state = await readJob();
    const token = readCookie(request.headers.cookie, ACCESS_COOKIE);
    const stream = routes.eventStreams.openEvents({
      accountId: principal.accountId,
      address: addressBucket(request.ip),
      jobId,
      state,
      seenId: lastEventId === undefined ? NOTHING_ID : Number(lastEventId),
      async checkAccess() {
        const presented = { authorization: `Bearer ${token}`, apiKey: undefined };
        authorize(await routes.credentials.verifyAccount(presented, async () => {}), SESSION);
      },
      readNotice: async () => toJobNotice(await readJob()),
    });
    const stop = () => stream.destroy();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for await (const event of stream) yield tracked(String(event.id), toFollowed(event));
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    } finally {
      stop();
    }
  }),
});

async function outcomeOf(removal: Promise<unknown>): Promise<RemovalOutcome> {
  try {
    await removal;
    return 'deleted';
  } catch (error) {
    const { reason } = errorInfoOf(error);
    if (reason === Reason.JOB_ALREADY_PROCESSING) return 'running';
    if (reason === Reason.JOB_NOT_FOUND) return 'gone';
    throw error;
  }
}

function toFollowed(event: JobEvent) {
  if (event.type !== 'progress') return { status: event.type, progress: 100, isOver: event.id === END_ID };
  return { status: 'processing' as const, ...event.data, isOver: false };
}

export function toProtoStatus(status: JobRow['status'] | undefined): JobStatus {
  return status === undefined ? JobStatus.UNSPECIFIED : jobStatuses.toEnum(status);
}

export function toListedJob(job: ProtoJob): ListedJob {
  const { sourceHeaderNames } = present(job.request, "a job's request");
  return {
    ...fromProtoJobRow(job),
    ...sourceOf(job),
    ...exactLengthOf(job),
    ...(job.sourceSizeBytes === undefined ? {} : { sourceBytes: Number(job.sourceSizeBytes) }),
    isUpload: job.request?.uploadKey !== undefined,
    ...(sourceHeaderNames.length === 0 ? {} : { sourceHeaderNames }),
    progress: job.progressPercent,
    ...(job.fetching === undefined ? {} : { fetching: toFetching(job.fetching) }),
  };
}

function sourceOf({ request, sourceFileName }: ProtoJob): Source {
  const { sourceUrl } = present(request, "a job's request");
  const [lastSegment = ''] = (URL.parse(sourceUrl)?.pathname ?? '').split('/').slice(-1);
  return { sourceName: sourceFileName ?? (decoded(lastSegment) || sourceUrl), sourceUrl };
}

function placeOf({ queuePosition }: ProtoJob): Pick<ReadSource, 'queuePosition'> {
  return queuePosition === undefined ? {} : { queuePosition };
}

function exactLengthOf({
  sourceDurationMs,
  sourceDurationIsEstimate,
}: ProtoJob): Pick<ReadSource, 'sourceSeconds'> {
  const isExact = sourceDurationMs !== undefined && !sourceDurationIsEstimate;
  return !isExact ? {} : { sourceSeconds: Number(sourceDurationMs) / 1000 };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Metadata is the caller's own JSON text, meant for programs. */
function withoutMetadata<J extends Job>(job: J): Shown<J> {
  const { metadata: _, ...shown } = { metadata: undefined, ...job };
  return shown as unknown as Shown<J>;
}
