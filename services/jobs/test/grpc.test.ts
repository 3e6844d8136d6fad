/** The service speaks gRPC as others know it: a client of grpc-js, over a socket, from the .proto files. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '@audiosplit/chassis/clock';
import { silentLogger } from '@audiosplit/chassis/log';
import { IDENTITY_HEADER, signIdentity } from '@audiosplit/chassis/rpc/identity';
import { type RpcServer, startRpcServer } from '@audiosplit/chassis/rpc/server';
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { INTERNAL_SECRET, type JobsFixture, startJobsFixture } from './jobs-fixture.ts';

const PROTO_DIR = resolve(import.meta.dirname, '../../../proto');

type Answer = Record<string, unknown>;
type Call = (request: object, metadata: Metadata) => Promise<Answer>;

describe('jobs over real gRPC', () => {
  let fixture: JobsFixture;
  let server: RpcServer;
  const clients: Client[] = [];
  before(async () => {
    fixture = await startJobsFixture();
    server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      routes(router) {
        fixture.service.routes(router);
        fixture.service.health.routes(router);
      },
      internalSecret: INTERNAL_SECRET,
      log: silentLogger(),
      clock: systemClock,
    });
  });
  after(async () => {
    for (const client of clients) client.close();
    await server[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /** A method as a promise, by its path in the package tree. */
  const method = (file: string, service: readonly string[], name: string): Call => {
    const definition = loadSync(file, {
      includeDirs: [PROTO_DIR],
      longs: String,
      enums: String,
      defaults: true,
    });
    let node: unknown = loadPackageDefinition(definition);
    for (const part of service) node = (node as Record<string, unknown>)[part];
    const Constructor = node as new (
      address: string,
      channelCredentials: unknown,
    ) => Client & Record<string, (...args: never[]) => unknown>;
    const client = new Constructor(`127.0.0.1:${server.port}`, credentials.createInsecure());
    clients.push(client);
    return promisify(client[name]?.bind(client) as never) as unknown as Call;
  };
  const jobsMethod = (name: string) =>
    method('audiosplit/jobs/v1/jobs.proto', ['audiosplit', 'jobs', 'v1', 'JobsService'], name);
  const asAccount = (accountId: string) => {
    const metadata = new Metadata();
    metadata.set(
      IDENTITY_HEADER,
      signIdentity(INTERNAL_SECRET, { kind: 'account', accountId, scopes: [] }, new Date()),
    );
    return metadata;
  };

  test('a job is created and read', async () => {
    const request = {
      request: {
        sourceUrl: 'https://example.com/a.mp3',
        mode: 'SPLIT_MODE_DURATION',
        segmentDurationSeconds: 60,
      },
    };
    const { job } = (await jobsMethod('CreateJob')(request, asAccount('acc_grpc'))) as { job: Answer };
    assert.equal(job.status, 'JOB_STATUS_QUEUED');
    const read = await jobsMethod('GetJob')({ jobId: job.id }, asAccount('acc_grpc'));
    assert.deepEqual(read.job, job);
  });

  test('a refusal has its gRPC status and says why', async () => {
    await assert.rejects(
      jobsMethod('GetJob')({ jobId: 'job_none' }, asAccount('acc_grpc')),
      (error: ServiceError) => {
        assert.equal(error.code, status.NOT_FOUND);
        assert.match(error.details, /There is no job job_none/);
        assert.equal(error.metadata.get('grpc-status-details-bin').length, 1);
        return true;
      },
    );
  });

  test('UNAUTHENTICATED without an identity, and with one signed by somebody else', async () => {
    const forged = new Metadata();
    forged.set(
      IDENTITY_HEADER,
      signIdentity('x'.repeat(32), { kind: 'service', service: 'gateway' }, new Date()),
    );
    for (const metadata of [new Metadata(), forged]) {
      await assert.rejects(
        jobsMethod('ListJobs')({ page: 1, limit: 1 }, metadata),
        (error: ServiceError) => error.code === status.UNAUTHENTICATED,
      );
    }
  });

  test('grpc.health.v1 answers without an identity', async () => {
    const check = method('grpc/health/v1/health.proto', ['grpc', 'health', 'v1', 'Health'], 'Check');
    for (const service of ['', 'readiness', 'audiosplit.jobs.v1.JobsService']) {
      assert.equal((await check({ service }, new Metadata())).status, 'SERVING');
    }
    await assert.rejects(
      check({ service: 'no.such.Service' }, new Metadata()),
      (error: ServiceError) => error.code === status.NOT_FOUND,
    );
  });
});
