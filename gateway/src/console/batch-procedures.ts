import { Type } from 'typebox';
import { readBatchArchive } from '../archive/batch-archive-route.ts';
import { BATCH_TIMEOUT_MS, createBatch, fromProtoBatch } from '../routes/batches.ts';
import { BatchParams, CreateBatchBody } from '../schemas/batches.ts';
import { CLOSED } from '../schemas/fields.ts';
import { pageOf, pageQueryFields, toPagination } from '../schemas/pagination.ts';
import { SearchJobsInput } from '../schemas/splits.ts';
import { toListedJob, toProtoStatus } from './job-procedures.ts';
import { input, procedure, router } from './trpc.ts';

const { sources, settings } = CreateBatchBody.properties;
const CreateInput = Type.Object({ sources, settings }, CLOSED);
const BatchInput = Type.Object({ batchId: BatchParams.properties.batchId }, CLOSED);

const { status, canceled } = SearchJobsInput.properties;
const JobsInput = Type.Object(
  { batchId: BatchParams.properties.batchId, status, canceled, ...pageQueryFields },
  CLOSED,
);

const changing = procedure.use(({ ctx, next }) =>
  next({ ctx: { asCaller: { ...ctx.asCaller, timeoutMs: BATCH_TIMEOUT_MS } } }),
);

export const batchesRouter = router({
  /** Counts as many calls as the batch has sources, as in the API. */
  create: procedure.input(input(CreateInput)).mutation(async ({ ctx, input }) => {
    await ctx.routes.countCalls(ctx.principal, input.sources.length - 1);
    return createBatch(ctx.routes, ctx.principal, input, '');
  }),

  get: procedure
    .input(input(BatchInput))
    .query(async ({ ctx, input }) =>
      fromProtoBatch((await ctx.services.jobs.getBatch(input, ctx.asCaller)).batch),
    ),

  /** In the order of its sources. */
  jobs: procedure.input(input(JobsInput)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const found = await ctx.services.jobs.listJobs(
      {
        ...page,
        batchId: input.batchId,
        status: toProtoStatus(input.status),
        ascending: true,
        ...(input.canceled === undefined ? {} : { canceled: input.canceled }),
      },
      ctx.asCaller,
    );
    return { data: found.jobs.map(toListedJob), pagination: toPagination(page, found.total) };
  }),

  /** Fails if the download would fail: a link for saving a file cannot show an error. */
  checkArchive: procedure.input(input(BatchInput)).query(async ({ ctx, input }) => {
    await readBatchArchive(ctx.services, ctx.principal, input.batchId);
    return null;
  }),

  cancel: changing.input(input(BatchInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.jobs.cancelBatch(input, ctx.asCaller);
    return null;
  }),

  /** Replaces each failed job that was not canceled by a new one. */
  retry: changing.input(input(BatchInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.jobs.retryBatch(input, ctx.asCaller);
    return null;
  }),
});
