import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { engineThatCuts, engineThatNeverEnds, startWorkerFixture } from '../worker.fixture.ts';
import { createLeaseWatch } from './lease-watch.ts';

type Checked = { readonly leases: readonly { readonly jobId: string; readonly fence: bigint }[] };

describe('the watch over leases', () => {
  test('a cancel stops a job without progress, long before its renewal is due', async () => {
    let isCanceled = false;
    let stopped = false;
    await using fixture = await startWorkerFixture({
      // The regular renewal comes after 100 s.
      leaseMs: 300_000,
      engine: engineThatNeverEnds(() => {
        stopped = true;
      }),
      jobs: {
        checkLeases: ({ leases }) => ({ over: isCanceled ? leases : [] }),
        renewLease() {
          throw new ServiceError(Reason.LEASE_LOST, 'Over.', { endedByOwner: true });
        },
      },
    });
    await fixture.offer('job_1');
    assert.equal(fixture.worker.running().length, 1);
    isCanceled = true;
    await until(() => stopped && fixture.worker.running().length === 0);
    assert.deepEqual(await fixture.scratchLeft(), []);
    assert.deepEqual([fixture.said.completed, fixture.said.failed, fixture.said.released], [[], [], []]);
  });

  test('a cancel ends an upload or a download that hangs', async () => {
    for (const hangs of ['upload', 'download'] as const) {
      let isCanceled = false;
      let isHanging = false;
      const hang = (signal: AbortSignal | undefined) =>
        new Promise<never>((_, reject) => {
          isHanging = true;
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      await using fixture = await startWorkerFixture({
        leaseMs: 300_000,
        engine: engineThatCuts(10),
        ...(hangs === 'upload'
          ? {
              store: (real) => ({
                ...real,
                putFile: (_key, _path, { signal }) => hang(signal),
              }),
            }
          : { openSource: (_url, { signal }) => hang(signal) }),
        jobs: {
          checkLeases: ({ leases }) => ({ over: isCanceled ? leases : [] }),
          renewLease() {
            throw new ServiceError(Reason.LEASE_LOST, 'Over.', { endedByOwner: true });
          },
        },
      });
      await fixture.offer('job_1');
      await until(() => isHanging);
      isCanceled = true;
      await until(() => fixture.worker.running().length === 0, `the ${hangs} has ended`);
      assert.deepEqual(await fixture.scratchLeft(), []);
      assert.deepEqual([fixture.said.completed, fixture.said.failed], [[], []]);
    }
  });

  test('all leases are checked in one request, and no request is made without leases', async () => {
    const asked: string[][] = [];
    await using watch = createLeaseWatch({
      everyMs: 1,
      leases: {
        async checkLeases({ leases = [] }) {
          asked.push(leases.map(({ jobId }) => jobId ?? ''));
          return { $typeName: 'audiosplit.jobs.v1.CheckLeasesResponse', over: [] };
        },
      },
    });
    const first = watch.follow({ jobId: 'job_1', fence: 1n }, () => undefined);
    const second = watch.follow({ jobId: 'job_2', fence: 1n }, () => undefined);
    await until(() => asked.length > 2);
    assert.deepEqual(asked[0], ['job_1', 'job_2']);
    first[Symbol.dispose]();
    await until(() => asked.at(-1)?.join() === 'job_2');
    second[Symbol.dispose]();
    await watch[Symbol.asyncDispose]();
    const count = asked.length;
    await new Promise((done) => setTimeout(done, 20));
    assert.equal(asked.length, count);
    assert.ok(asked.every((jobIds) => jobIds.length > 0));
  });

  test('a check that fails is repeated', async () => {
    let asked = 0;
    let notified = 0;
    await using watch = createLeaseWatch({
      everyMs: 1,
      leases: {
        async checkLeases(request) {
          asked += 1;
          if (asked < 3) throw new UnavailableError(new Error('the jobs service is away'));
          const { leases } = request as Checked;
          return {
            $typeName: 'audiosplit.jobs.v1.CheckLeasesResponse',
            over: leases.map((lease) => ({ $typeName: 'audiosplit.jobs.v1.LeaseRef', ...lease })),
          };
        },
      },
    });
    using _followed = watch.follow({ jobId: 'job_1', fence: 7n }, () => {
      notified += 1;
    });
    await until(() => notified > 0);
    assert.equal(asked >= 3, true);
  });
});
