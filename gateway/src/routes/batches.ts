import { outputFormats } from '@audiosplit/proto/enum-words';
import { OutputFormat, type Batch as ProtoBatch } from '@audiosplit/proto/jobs/v1/jobs';
import { toPreviousCut } from '@audiosplit/proto/previous-cut';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { batchArchiveRoute } from '../archive/batch-archive-route.ts';
import type { Principal } from '../credentials/principal.ts';
import { MAX_LISTING_BODY_BYTES } from '../http/input/json-body.ts';
import { memberText } from '../http/input/json-text.ts';
import { invalidParams } from '../http/input/validation.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present, toIsoTime } from '../mapping/messages.ts';
import { Batch, BatchParams, CreateBatchBody, CreatedBatch, MAX_SETTINGS_BYTES } from '../schemas/batches.ts';
import { CLOSED } from '../schemas/fields.ts';
import { ref } from '../schemas/ref.ts';
import { checkCut, toProtoCut } from '../schemas/split-modes.ts';
import { uploadKeyOf } from '../uploads/uploaded-source.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { checkMetadata, checkSourceUrl, checkUrl } from './split-request.ts';
import { requireVerifiedEmail } from './splits.ts';

const tags = ['Batches'];
const READER: Access = { kind: 'apiKey', scope: 'splits:read' };
const NOTHING = Type.Object({}, CLOSED);
const WRITER: Access = { kind: 'apiKey', scope: 'splits:write' };

/** A call inserts a thousand rows, and their events. */
export const BATCH_TIMEOUT_MS = 20_000;

export function batchRoutes(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  const { jobs, actingFor } = dependencies.services;
  return async (app) => {
    app.post(
      '/batches',
      {
        bodyLimit: MAX_LISTING_BODY_BYTES,
        ...endpoint({
          access: WRITER,
          errors: ['EMAIL_NOT_VERIFIED', 'QUOTA_EXCEEDED', 'SPEND_LIMIT_REACHED', 'QUEUE_FULL'],
          schema: {
            operationId: 'createBatch',
            tags,
            summary: 'Split many audio files',
            description:
              'Creates a job for each source, all with the same settings. Sources are not checked before: a job whose ' +
              'source is not available fails with the reason, and the others continue. Either all jobs fit into the queue of the account, ' +
              'or none is created. A batch counts as many requests as it has sources; it may exceed what is left of the minute.',
            body: CreateBatchBody,
            response: { 201: ref(CreatedBatch) },
          },
        }),
      },
      async (request, reply) => {
        const principal = principalOf(request);
        reply.headers(await dependencies.countCalls(principal, request.body.sources.length - 1));
        return reply
          .code(201)
          .send(await createBatch(dependencies, principal, request.body, request.jsonText ?? ''));
      },
    );

    app.get(
      '/batches/:batchId',
      endpoint({
        access: READER,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'getBatch',
          tags,
          summary: 'Read a batch',
          description: 'The number of its jobs in each status. `GET /api/v1/splits?batchId=` lists them.',
          params: BatchParams,
          response: { 200: ref(Batch) },
        },
      }),
      async (request) => {
        const { batch } = await jobs.getBatch(request.params, actingFor(principalOf(request)));
        return fromProtoBatch(batch);
      },
    );

    app.post(
      '/batches/:batchId/cancel',
      endpoint({
        access: WRITER,
        errors: ['NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'cancelBatch',
          tags,
          summary: 'Stop a batch',
          description: 'Its queued and running jobs fail with CANCELED.',
          params: BatchParams,
          body: NOTHING,
          response: { 200: ref(Batch) },
        },
      }),
      async (request) => {
        const as = { ...actingFor(principalOf(request)), timeoutMs: BATCH_TIMEOUT_MS };
        return fromProtoBatch((await jobs.cancelBatch(request.params, as)).batch);
      },
    );

    app.post(
      '/batches/:batchId/retry',
      endpoint({
        access: WRITER,
        errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', 'SPEND_LIMIT_REACHED', 'QUEUE_FULL'],
        schema: {
          operationId: 'retryBatch',
          tags,
          summary: 'Try failed jobs again',
          description:
            'Replaces each job of the batch that has failed, but was not ' +
            'canceled, by a new job with the same request. The failed one leaves the batch and stays in the list of jobs.',
          params: BatchParams,
          body: NOTHING,
          response: { 200: ref(Batch) },
        },
      }),
      async (request) => {
        const as = { ...actingFor(principalOf(request)), timeoutMs: BATCH_TIMEOUT_MS };
        return fromProtoBatch((await jobs.retryBatch(request.params, as)).batch);
      },
    );

    await app.register(batchArchiveRoute(dependencies));
  };
}

/** Throws the errors that the route declares. */
export async function createBatch(
  { links, services: { jobs, webhooks, actingFor } }: RouteDependencies,
  principal: Principal,
  body: CreateBatchBody,
  bodyText: string,
): Promise<CreatedBatch> {
  requireVerifiedEmail(principal);
  const { sources, settings, webhookUrl } = body;
  const metadataJson = body.metadata === undefined ? undefined : memberText(bodyText, 'metadata');
  const found = sources.map((sourceUrl, index) => ({
    index,
    sourceUrl,
    violations: checkSourceUrl(`sources[${index}]`, sourceUrl),
  }));
  const good = found.filter(({ violations }) => violations.length === 0);
  const violations = [
    ...(good.length === 0 ? found.flatMap((each) => each.violations).slice(0, MAX_VIOLATIONS) : []),
    ...checkCut(settings, settings.outputFormat).map((each) => ({
      ...each,
      field: `settings.${each.field}`,
    })),
    ...checkSize(settings),
    ...(webhookUrl === undefined ? [] : checkUrl('webhookUrl', webhookUrl)),
    ...checkMetadata(metadataJson),
  ];
  if (violations.length > 0) throw invalidParams(violations);

  const asCaller = actingFor(principal);
  if (webhookUrl !== undefined) await webhooks.checkTarget({ url: webhookUrl }, asCaller);
  const cut = toProtoCut(settings);
  const { outputFormat } = settings;
  const { batch, jobIds } = await jobs.createBatch(
    {
      sources: good.map(({ sourceUrl }) => {
        const uploadKey = uploadKeyOf(sourceUrl, principal.accountId, links);
        return { sourceUrl, ...(uploadKey === undefined ? {} : { uploadKey }) };
      }),
      request: {
        cut,
        ...toPreviousCut(cut),
        outputFormat:
          outputFormat === undefined ? OutputFormat.UNSPECIFIED : outputFormats.toEnum(outputFormat),
      },
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(metadataJson === undefined ? {} : { metadataJson }),
    },
    { ...asCaller, timeoutMs: BATCH_TIMEOUT_MS },
  );
  return {
    ...fromProtoBatch(batch),
    jobs: good.map(({ index }, place) => ({ index, jobId: present(jobIds[place], "a job's id") })),
    refused: found.flatMap(({ index, violations: [wrong] }) =>
      wrong === undefined ? [] : [{ index, message: wrong.message }],
    ),
  };
}

const MAX_VIOLATIONS = 100;

function checkSize(settings: object) {
  const isTooLong = Buffer.byteLength(JSON.stringify(settings)) > MAX_SETTINGS_BYTES;
  return isTooLong
    ? [{ field: 'settings', message: `must not exceed ${MAX_SETTINGS_BYTES} bytes as JSON` }]
    : [];
}

export function fromProtoBatch(batch: ProtoBatch | undefined): Batch {
  const { id, createdAt, queued, processing, completed, failed, canceled } = present(batch, 'a batch');
  const total = queued + processing + completed + failed + canceled;
  return { id, createdAt: toIsoTime(createdAt), total, queued, processing, completed, failed, canceled };
}
