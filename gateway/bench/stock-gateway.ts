/**
 * Create, list and read as in a typical gateway: Fastify with its own validation, serialisation and log, a call to auth
 * for each request's key, two Redis commands for the limit, and connect-node for every call.
 */
import { createHash } from 'node:crypto';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { fromCutFields, toCutFields } from '@audiosplit/proto/cut';
import { type Job, JobStatus, JobsService, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import fastify, { type FastifyInstance } from 'fastify';
import { createClient as createRedisClient } from 'redis';
import { ACCOUNT_HEADER } from './stock-jobs.ts';

declare module 'fastify' {
  interface FastifyRequest {
    accountId: string;
  }
}

interface StockGatewayOptions {
  readonly authUrl: string;
  readonly jobsUrl: string;
  readonly redisUrl: string | undefined;
}

interface CreateBody {
  readonly sourceUrl: string;
  readonly segmentDuration: number;
  readonly webhookUrl?: string;
  readonly metadata?: object;
}

const WINDOW_SECONDS = 60;

const text = { type: 'string' };
const number = { type: 'integer' };
const JOB = {
  type: 'object',
  properties: {
    id: text,
    status: text,
    splitMode: text,
    segmentDuration: number,
    outputFormat: text,
    webhookUrl: text,
    metadata: { type: 'object', additionalProperties: true },
    segmentCount: number,
    createdAt: text,
    completedAt: text,
  },
};
const LIST = {
  type: 'object',
  properties: {
    data: { type: 'array', items: JOB },
    pagination: { type: 'object', additionalProperties: true },
  },
};
const CREATE = {
  type: 'object',
  required: ['sourceUrl', 'splitMode', 'segmentDuration'],
  additionalProperties: false,
  properties: {
    sourceUrl: { type: 'string', maxLength: 2_048 },
    splitMode: { enum: ['duration'] },
    segmentDuration: { type: 'integer', minimum: 1 },
    outputFormat: { enum: ['mp3'] },
    webhookUrl: { type: 'string', maxLength: 2_048 },
    metadata: { type: 'object' },
  },
};

export async function buildStockGateway(options: StockGatewayOptions): Promise<FastifyInstance> {
  const auth = createClient(AuthService, connect(options.authUrl));
  const jobs = createClient(JobsService, connect(options.jobsUrl));
  const redis =
    options.redisUrl === undefined ? undefined : await createRedisClient({ url: options.redisUrl }).connect();
  const app = fastify({ logger: { level: 'info', stream: process.stderr } });
  app.decorateRequest('accountId', '');

  app.addHook('onRequest', async (request, reply) => {
    const secretSha256 = createHash('sha256').update(String(request.headers['x-api-key'])).digest();
    const { accountId, keyId, limits } = await auth.verifyApiKey({ secretSha256 });
    request.accountId = accountId;
    if (redis === undefined) return;
    const bucket = `stock:${keyId}:${Math.floor(Date.now() / 1_000 / WINDOW_SECONDS)}`;
    const count = await redis.incr(bucket);
    await redis.expire(bucket, WINDOW_SECONDS);
    const limit = limits?.requestsPerMinute ?? 0;
    reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': Math.max(0, limit - count) });
    if (count > limit) await reply.code(429).send({ error: { code: 'RATE_LIMITED' } });
  });

  const asCaller = (accountId: string) => ({ headers: { [ACCOUNT_HEADER]: accountId } });
  app.post<{ Body: CreateBody }>(
    '/api/v1/splits',
    { schema: { body: CREATE, response: { 201: JOB } } },
    async ({ body, accountId }, reply) => {
      const { sourceUrl, segmentDuration, webhookUrl, metadata } = body;
      const { job } = await jobs.createJob(
        {
          request: {
            sourceUrl,
            cut: fromCutFields({ splitMode: 'duration', segmentDuration: segmentDuration }),
            outputFormat: OutputFormat.MP3,
          },
          ...(webhookUrl === undefined ? {} : { webhookUrl }),
          ...(metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) }),
        },
        asCaller(accountId),
      );
      return reply.code(201).send(toJson(job));
    },
  );
  app.get<{ Params: { jobId: string } }>(
    '/api/v1/splits/:jobId',
    { schema: { response: { 200: JOB } } },
    async ({ params, accountId }) => toJson((await jobs.getJob(params, asCaller(accountId))).job),
  );
  app.get('/api/v1/splits', { schema: { response: { 200: LIST } } }, async ({ accountId }) => {
    const page = { page: 1, limit: 20 };
    const { jobs: found, total } = await jobs.listJobs(page, asCaller(accountId));
    return { data: found.map(toJson), pagination: { ...page, total: Number(total) } };
  });
  return app;
}

function connect(baseUrl: string) {
  return createConnectTransport({ baseUrl, httpVersion: '2' });
}

function toJson(job: Job | undefined) {
  if (job === undefined) throw new Error('an answer without a job');
  return {
    id: job.id,
    status: JobStatus[job.status].toLowerCase(),
    splitMode: 'duration',
    segmentDuration: toCutFields(job.request?.cut)?.segmentDuration,
    outputFormat: 'mp3',
    webhookUrl: job.webhookUrl,
    ...(job.metadataJson === undefined ? {} : { metadata: JSON.parse(job.metadataJson) }),
    segmentCount: job.segmentCount,
    createdAt: job.createdAt && timestampDate(job.createdAt).toISOString(),
    completedAt: job.completedAt && timestampDate(job.completedAt).toISOString(),
  };
}
