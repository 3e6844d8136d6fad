/** The servers that bench-api.ts measures, each for a process of its own. */

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { systemClock } from '@audiosplit/chassis/clock';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, startRpcServer } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { fromCutFields } from '@audiosplit/proto/cut';
import { type JobSchema, JobStatus, JobsService, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import fastify from 'fastify';
import { DEFAULT_BOUNDS } from '../src/bounds/bound-settings.ts';
import { createMemoryRateLimiter } from '../src/rate-limit/memory.ts';
import { openRedisRateLimiter } from '../src/rate-limit/redis.ts';
import { startGateway } from '../src/service.ts';
import { buildStockGateway } from './stock-gateway.ts';
import { stockJobsRoutes } from './stock-jobs.ts';

export type ServerOptions = {
  readonly servicesUrl?: string;
  /** URL of the jobs service, if it runs separately. */
  readonly jobsUrl?: string;
  readonly databaseUrl?: string;
  readonly redisUrl?: string | undefined;
  /** SHA-256 of the key that gets one request a minute. All others are practically unlimited. */
  readonly exhaustedKeySha256?: string;
};

const HOST = '127.0.0.1';
const REQUESTS_PER_MINUTE = 1_000_000_000;
const ROWS_PER_PAGE = 20;
/** About as long as a job. */
const BARE_ANSWER_BYTES = 200;

export const SERVERS: Readonly<Record<string, (options: ServerOptions) => Promise<string>>> = {
  hello: startHello,
  services: startServices,
  'stock services': startStockServices,
  'bare http': startBareHttp,
  gateway: startBenchedGateway,
  'stock jobs': ({ databaseUrl = '' }) => serveStock(stockJobsRoutes(databaseUrl)),
  'stock gateway': startStockGateway,
};

/** The baseline: the framework alone, with a response of the length of a job. */
async function startHello(): Promise<string> {
  const app = fastify({ logger: false });
  app.get('/', async () => ({ hello: 'world' }));
  await app.listen({ host: HOST, port: 0 });
  return urlOf(app.server.address());
}

async function startBareHttp(): Promise<string> {
  const body = Buffer.alloc(BARE_ANSWER_BYTES);
  const server = createHttpServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/proto', 'content-length': body.length });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return urlOf(server.address());
}

/** Doubles of the services, which answer at once, so that only the gateway and the call are measured. */
async function startServices(options: ServerOptions): Promise<string> {
  const { port } = await startRpcServer({
    routes: serviceRoutes(options),
    keys: testKeysOf('jobs'),
    log: silentLogger(),
    clock: systemClock,
    host: HOST,
    port: 0,
  });
  return `http://${HOST}:${port}`;
}

async function startStockServices(options: ServerOptions): Promise<string> {
  return serveStock(serviceRoutes(options));
}

async function serveStock(routes: Routes): Promise<string> {
  const server = createServer(connectNodeAdapter({ routes }));
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return urlOf(server.address());
}

async function startStockGateway({
  servicesUrl = '',
  jobsUrl = '',
  redisUrl,
}: ServerOptions): Promise<string> {
  const app = await buildStockGateway({ authUrl: servicesUrl, jobsUrl, redisUrl });
  await app.listen({ host: HOST, port: 0 });
  return urlOf(app.server.address());
}

async function startBenchedGateway({
  servicesUrl = '',
  jobsUrl = servicesUrl,
  redisUrl,
}: ServerOptions): Promise<string> {
  // As in production: one log line per request, to standard error.
  const log = createLogger('gateway', 'info');
  const services = remoteAddress(servicesUrl);
  const jobs = jobsUrl === servicesUrl ? services : remoteAddress(jobsUrl);
  const { url } = await startGateway(
    {
      host: HOST,
      port: 0,
      downloadSecret: 'download secret of the benchmark, 32 bytes',
      jwt: { issuer: 'audiosplit', audience: 'audiosplit' },
      trustProxy: [],
      bounds: DEFAULT_BOUNDS,
    },
    {
      addressOf: (service) => (service === 'jobs' ? jobs : services),
      limiter:
        redisUrl === undefined
          ? createMemoryRateLimiter(systemClock)
          : await openRedisRateLimiter({ url: redisUrl, log, clock: systemClock }),
      store: await openFileObjectStore({ directory: tmpdir() }),
      log,
      clock: systemClock,
      keys: testKeysOf('gateway'),
    },
  );
  return url;
}

function serviceRoutes({ exhaustedKeySha256 }: ServerOptions): Routes {
  const jobs = Array.from({ length: ROWS_PER_PAGE }, (_, index) =>
    jobOf(`job_${String(index).padStart(20, '0')}`),
  );
  return (router) => {
    router.service(AuthService, {
      verifyApiKey({ secretSha256 }) {
        const sha256 = Buffer.from(secretSha256).toString('hex');
        const isExhausted = sha256 === exhaustedKeySha256;
        return {
          keyId: `key_${sha256}`,
          accountId: accountIdOf(sha256),
          scopes: ['splits:read', 'splits:write'],
          limits: {
            planId: 'plan_enterprise',
            requestsPerMinute: isExhausted ? 1 : REQUESTS_PER_MINUTE,
            maxFileSizeBytes: 1_000_000n,
          },
        };
      },
      recordKeyUse: () => ({}),
    });
    router.service(JobsService, {
      createJob: () => ({ job: jobOf('job_00000000000000000000') }),
      getJob: ({ jobId }) => ({ job: jobOf(jobId) }),
      listJobs: () => ({ jobs, total: 1_000n }),
    });
  };
}

/** Each key of the benchmark has its own account. */
export function accountIdOf(keySha256: string): string {
  return `acc_${keySha256.slice(0, 26)}`;
}

function jobOf(id: string): MessageInitShape<typeof JobSchema> {
  return {
    id,
    status: JobStatus.QUEUED,
    request: {
      sourceUrl: 'https://example.com/recordings/2027/episode-0012.mp3',
      cut: fromCutFields({ splitMode: 'duration', segmentDuration: 300 }),
      outputFormat: OutputFormat.MP3,
    },
    webhookUrl: 'https://example.com/hooks/audiosplit',
    metadataJson: '{"title":"An episode","number":12}',
    createdAt: { seconds: 1_800_000_000n, nanos: 123_000_000 },
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return `http://${HOST}:${address.port}`;
}
