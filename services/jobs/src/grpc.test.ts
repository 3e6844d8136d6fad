/**
 * Calls the service with grpc-js over a socket, from the .proto files, to prove that it supports standard
 * gRPC.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeKeyPair } from '@audiosplit/chassis/identity/keys';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { assertStandardHealth } from '@audiosplit/chassis/testing/grpc-health';
import { startGrpcServer } from '@audiosplit/chassis/testing/grpc-server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { type ServiceError, status } from '@grpc/grpc-js';
import { startJobsFixture } from './jobs.fixture.ts';

describe('jobs over real gRPC', () => {
  const fixture = forSuite(startJobsFixture);
  const server = forSuite(() => startGrpcServer(fixture.service, fixture.context));

  const connect = () => server.connect('audiosplit/jobs/v1/jobs.proto', JobsService);
  const asAccount = (accountId: string) => ({ process: 'gateway', accountId }) as const;

  test('a job is created and read', async () => {
    const jobs = await connect();
    const request = {
      request: {
        sourceUrl: 'https://example.com/a.mp3',
        mode: 'SPLIT_MODE_DURATION',
        segmentDurationSeconds: 60,
      },
    };
    const { job } = await jobs('createJob', request, asAccount('acc_grpc'));
    assert.equal(job.status, 'JOB_STATUS_QUEUED');
    const read = await jobs('getJob', { jobId: job.id }, asAccount('acc_grpc'));
    assert.deepEqual(read.job, { ...job, queuePosition: 1 });
  });

  test('a rejection has its gRPC status and a reason', async () => {
    const jobs = await connect();
    await assert.rejects(
      jobs('getJob', { jobId: 'job_none' }, asAccount('acc_grpc')),
      (error: ServiceError) => {
        assert.equal(error.code, status.NOT_FOUND);
        assert.match(error.details, /There is no job job_none/);
        assert.equal(error.metadata.get('grpc-status-details-bin').length, 1);
        return true;
      },
    );
  });

  test('UNAUTHENTICATED without an identity, and with one signed with another key', async () => {
    const jobs = await connect();
    const { privateKey } = makeKeyPair();
    const forged = { ...asAccount('acc_grpc'), keys: { ...testKeysOf('gateway'), privateKey } };
    for (const identity of [undefined, forged]) {
      await assert.rejects(jobs('listJobs', { page: 1, limit: 1 }, identity), {
        code: status.UNAUTHENTICATED,
      });
    }
  });

  test('grpc.health.v1 answers without an identity, and reports when it drains', () =>
    assertStandardHealth(server, fixture.service, [
      JobsService.typeName,
      'audiosplit.jobs.v1.JobLeaseService',
      'audiosplit.jobs.v1.JobsOperatorService',
    ]));
});
