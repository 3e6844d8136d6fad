import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { Code, ConnectError } from '@connectrpc/connect';
import { keepLease, LeaseLostError } from './lease-keeper.ts';

test('a lease that is lost as no renewal gets through says what the last one failed of', async () => {
  const context = {
    internalSecret: 'internal-secret-of-32-characters',
    log: silentLogger(),
    clock: () => new Date(),
  };
  const address = serveInProcess({
    ...context,
    routes: (router) =>
      router.service(JobLeaseService, {
        renewLease() {
          throw new ConnectError('the jobs service is away', Code.Unavailable);
        },
      }),
  });
  const leases = createCaller({ ...context, service: 'splitter' }).client(JobLeaseService, address);
  await using keeper = keepLease({ leases, lease: { jobId: 'job_1', fence: 1n }, leaseMs: 120 });
  await once(keeper.signal, 'abort');
  const { reason } = keeper.signal;
  assert.ok(reason instanceof LeaseLostError);
  assert.match(reason.message, /no renewal of job job_1 got through/);
  assert.match(String(reason.cause), /the jobs service is away/);
});
