import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { currentTrace, type Trace } from '@audiosplit/chassis/trace';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { engineThatCuts, engineThatNeverEnds, startWorkerFixture } from './worker.fixture.ts';

describe('offers without an event', () => {
  test('are found by an idle worker, jobs and parts, as many as it has slots for', async () => {
    const limits: number[] = [];
    await using fixture = await startWorkerFixture({
      engine: engineThatNeverEnds(),
      concurrency: 2,
      lookForOffersEveryMs: 1,
      jobs: {
        findOverdueOffers({ limit }) {
          limits.push(limit);
          return { offers: ['job_1', 'job_2', 'job_3'].slice(limits.length - 1).map((jobId) => ({ jobId })) };
        },
      },
    });
    await until(() => fixture.worker.shares.cores.busy() === 2, 'both slots are taken');
    assert.deepEqual(fixture.said.claimed, ['job_1', 'job_2']);
    assert.deepEqual(limits, [2]);
    assert.equal(fixture.bus.paused, true);
  });

  test('run with the trace of their job', async () => {
    let looks = 0;
    let seen: Trace | undefined;
    await using fixture = await startWorkerFixture({
      engine(options) {
        seen = currentTrace();
        return engineThatCuts(10)(options);
      },
      lookForOffersEveryMs: 1,
      trace: { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, 'x-request-id': 'req_1' },
      jobs: { findOverdueOffers: () => ({ offers: looks++ === 0 ? [{ jobId: 'job_1' }] : [] }) },
    });
    await until(() => fixture.said.completed.length === 1);
    assert.deepEqual([seen?.traceId, seen?.requestId], ['1'.repeat(32), 'req_1']);
  });

  test('already taken by another worker do not keep the worker from the next one', async () => {
    let looks = 0;
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      lookForOffersEveryMs: 1,
      jobs: {
        findOverdueOffers: () => ({
          offers: looks++ === 0 ? [{ jobId: 'job_1', part: 7 }, { jobId: 'job_2' }] : [],
        }),
        claimPart() {
          throw new ServiceError(Reason.NOT_CLAIMABLE, 'Another has it.');
        },
      },
    });
    await until(() => fixture.said.completed.length === 1);
    assert.equal(fixture.said.completed[0]?.jobId, 'job_2');
  });

  test('are searched again after an outage of the jobs service', async () => {
    let looks = 0;
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      lookForOffersEveryMs: 1,
      jobs: {
        findOverdueOffers() {
          looks += 1;
          if (looks < 3) throw new UnavailableError('Away.');
          return { offers: looks === 3 ? [{ jobId: 'job_1' }] : [] };
        },
      },
    });
    await until(() => fixture.said.completed.length === 1);
  });

  test('are not searched by a worker that drains', async () => {
    let looks = 0;
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      lookForOffersEveryMs: 1,
      jobs: {
        findOverdueOffers() {
          looks += 1;
          return { offers: [] };
        },
      },
    });
    await until(() => looks > 0);
    await fixture.worker[Symbol.asyncDispose]();
    const looksBefore = looks;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(looks, looksBefore);
  });
});
