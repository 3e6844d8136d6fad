import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RenewLeaseResponseSchema } from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { LeaseLostError } from './lease.ts';
import { keepLease } from './lease-keeper.ts';

const LEASE_MS = 30_000;

/** Keeps a lease with a clock that only `pass` moves. */
function keepTestLease(t: TestContext, failure?: ConnectError) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  const renewedAtMs: number[] = [];
  const leases = {
    async renewLease() {
      renewedAtMs.push(nowMs);
      if (failure !== undefined) throw failure;
      return create(RenewLeaseResponseSchema, { leaseMs: LEASE_MS });
    },
  };
  const lease = { jobId: 'job_1', fence: 1n };
  const keeper = keepLease({ leases, lease, leaseMs: LEASE_MS, nowMs: () => nowMs });
  return {
    keeper,
    renewedAtMs,
    async pass(untilMs: number, each: (nowMs: number) => void = () => {}) {
      while (nowMs < untilMs) {
        each(nowMs);
        nowMs += 250;
        t.mock.timers.tick(250);
        await setImmediate();
      }
    },
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}

test('a lease that is lost because no renewal succeeds reports the last error', async (t) => {
  const away = new ConnectError('the jobs service is away', Code.Unavailable);
  await using lease = keepTestLease(t, away);
  const { keeper, renewedAtMs, pass } = lease;
  await pass(LEASE_MS - 250);
  assert.deepEqual([keeper.signal.aborted, renewedAtMs], [false, [10_000, 20_000]]);
  await pass(LEASE_MS);
  const { reason } = keeper.signal;
  assert.ok(reason instanceof LeaseLostError);
  assert.match(reason.message, /no renewal of job job_1 succeeded/);
  assert.equal(reason.cause, away);
});

test('renews every 5 s while only the bytes of the source grow, and a second after a new per cent', async (t) => {
  await using lease = keepTestLease(t);
  const { keeper, renewedAtMs, pass } = lease;
  await pass(20_000, (nowMs) => keeper.reportFetching({ fetchedBytes: nowMs, totalBytes: undefined }));
  assert.deepEqual(renewedAtMs.splice(0), [5_000, 10_000, 15_000, 20_000]);
  await pass(23_000, (nowMs) => keeper.report(nowMs / 30_000));
  assert.deepEqual(renewedAtMs.splice(0), [21_000, 22_000, 23_000]);
  await pass(45_000);
  assert.deepEqual(renewedAtMs, [33_000, 43_000], 'nothing is new');
});
