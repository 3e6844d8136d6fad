import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { JobLeaseService, RenewLeaseResponseSchema } from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { LeaseLostError } from './lease.ts';
import { keepLease } from './lease-keeper.ts';

test('a lease that is lost as no renewal gets through says what the last one failed of', async () => {
  const context = {
    keys: testKeysOf('jobs'),
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
  const leases = createCaller({ ...context, keys: testKeysOf('splitter') }).client(JobLeaseService, address);
  await using keeper = keepLease({ leases, lease: { jobId: 'job_1', fence: 1n }, leaseMs: 120 });
  await once(keeper.signal, 'abort');
  const { reason } = keeper.signal;
  assert.ok(reason instanceof LeaseLostError);
  assert.match(reason.message, /no renewal of job job_1 got through/);
  assert.match(String(reason.cause), /the jobs service is away/);
});

test('renews every 5 s while only the bytes of the source grow, and a second after a new per cent', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  const renewedAtMs: number[] = [];
  const leases = {
    async renewLease() {
      renewedAtMs.push(nowMs);
      return create(RenewLeaseResponseSchema, { leaseMs: 30_000 });
    },
  };
  const lease = { jobId: 'job_1', fence: 1n };
  await using keeper = keepLease({ leases, lease, leaseMs: 30_000, nowMs: () => nowMs });
  const pass = async (untilMs: number, each: () => void) => {
    while (nowMs < untilMs) {
      each();
      nowMs += 250;
      t.mock.timers.tick(250);
      await setImmediate();
    }
  };
  await pass(20_000, () => keeper.reportFetching({ fetchedBytes: nowMs, totalBytes: undefined }));
  assert.deepEqual(renewedAtMs.splice(0), [5_000, 10_000, 15_000, 20_000]);
  await pass(23_000, () => keeper.report(nowMs / 30_000));
  assert.deepEqual(renewedAtMs.splice(0), [21_000, 22_000, 23_000]);
  await pass(45_000, () => undefined);
  assert.deepEqual(renewedAtMs, [33_000, 43_000], 'nothing is new');
});
