/** The log lines about a job that no longer belongs to the worker. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { createLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { SourceError } from '../../source/source-error.ts';
import { engineThatCuts, engineThatNeverEnds, startWorkerFixture } from '../worker.fixture.ts';

/** The numbers that pino writes. */
const LEVELS = { info: 30, warn: 40 };

function recordingLogger() {
  const lines: { level: number; msg: string; jobId: string; err?: unknown }[] = [];
  const log = createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe('a lease that is lost', () => {
  for (const [what, endedByOwner, level, message] of [
    ['canceled by its owner', true, 'info', 'the job was canceled or removed, the attempt is dropped'],
    ['taken over by another', false, 'warn', 'the lease was lost, the attempt is dropped'],
  ] as const) {
    const refuse = () => {
      throw new ServiceError(Reason.LEASE_LOST, 'Over.', { endedByOwner });
    };
    for (const [when, options] of [
      ['at a renewal', { leaseMs: 3_000, engine: engineThatNeverEnds(), jobs: { renewLease: refuse } }],
      ['at its completion', { engine: engineThatCuts(10), jobs: { completeJob: refuse } }],
    ] as const) {
      test(`${what}, detected ${when}: ${level}`, async () => {
        const { log, lines } = recordingLogger();
        await using fixture = await startWorkerFixture({ ...options, log });
        await fixture.offer('job_1');
        await until(() => lines.length > 0 && fixture.worker.running().length === 0);
        assert.deepEqual(
          lines.map((line) => [line.level, line.msg, 'err' in line]),
          [[LEVELS[level], message, !endedByOwner]],
        );
        assert.deepEqual([fixture.said.failed, fixture.said.released], [[], []]);
      });
    }
  }

  test('canceled by its owner, detected when the attempt fails or is handed back: no warning', async () => {
    const refuse = () => {
      throw new ServiceError(Reason.LEASE_LOST, 'Over.', { endedByOwner: true });
    };
    const { log, lines } = recordingLogger();
    const engine = () => Promise.reject(new SourceError('SOURCE_UNREACHABLE', 'Away.', true));
    await using failing = await startWorkerFixture({ engine, jobs: { failJob: refuse }, log });
    await failing.offer('job_1');
    await until(() => lines.length === 2);
    const released = await startWorkerFixture({
      engine: engineThatNeverEnds(),
      jobs: { releaseJob: refuse },
      log,
    });
    await released.offer('job_2');
    await released[Symbol.asyncDispose]();
    assert.deepEqual(
      lines.map((line) => [line.level, line.jobId, line.msg]),
      [
        [LEVELS.info, 'job_1', 'the attempt failed'],
        [LEVELS.info, 'job_1', 'the job was canceled or removed, the attempt is dropped'],
        [LEVELS.info, 'job_2', 'the process stops, the job is handed back'],
        [LEVELS.info, 'job_2', 'the job was canceled or removed, the attempt is dropped'],
      ],
    );
  });
});
