import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { GetProgressResponseSchema, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';
import { createJobWatch } from './job-watch.ts';

const STEP_MS = 10;

/** A watch over jobs that are all queued; `polls` records the time and the jobs of each poll. */
function startWatch({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  let isAway = false;
  const polls: { atMs: number; jobIds: readonly string[] }[] = [];
  const watch = createJobWatch({
    jobs: {
      async getProgress({ jobIds = [] }) {
        polls.push({ atMs: nowMs, jobIds });
        if (isAway) throw new Error('no route to the service');
        const jobs = jobIds.map((jobId) => ({ jobId, status: JobStatus.QUEUED }));
        return create(GetProgressResponseSchema, { jobs });
      },
    },
    log: silentLogger(),
    lookEveryMs: 1_000,
    clockMs: () => nowMs,
  });
  return {
    watch,
    polls,
    setAway(away: boolean) {
      isAway = away;
    },
    async pass(ms: number) {
      for (const end = nowMs + ms; nowMs < end; ) {
        nowMs += STEP_MS;
        mock.timers.tick(STEP_MS);
        await new Promise(setImmediate);
      }
    },
  };
}

test('a job is polled soon, then in a quarter of the time since, and finally once a second', async (t) => {
  const { watch, polls, pass } = startWatch(t);
  watch.follow('job_1', () => undefined);
  await pass(10_000);
  const waits = polls.map(({ atMs }, n) => atMs - (polls[n - 1]?.atMs ?? 0));
  assert.deepEqual(waits.slice(0, 4), [50, 30, 30, 30]);
  for (const [n, { atMs }] of polls.entries())
    assert.ok((waits[n] ?? 0) <= Math.max(50, atMs / 4 + STEP_MS), waits.join());
  assert.ok(waits.filter((ms) => ms < 1_000).length <= 22, waits.join());
  assert.deepEqual(waits.slice(-3), [1_000, 1_000, 1_000]);
});

test('jobs that are followed for long are polled by one call per second', async (t) => {
  const { watch, polls, pass } = startWatch(t);
  for (let n = 0; n < 20; n += 1) {
    watch.follow(`job_${n}`, () => undefined);
    await pass(130);
  }
  await pass(5_000);
  polls.splice(0);
  await pass(3_000);
  assert.deepEqual(
    polls.map(({ jobIds }) => jobIds.length),
    [20, 20, 20],
  );
});

test('a job that gets another follower is polled soon again', async (t) => {
  const { watch, polls, pass } = startWatch(t);
  watch.follow('job_1', () => undefined);
  await pass(5_510);
  polls.splice(0);
  watch.follow('job_1', () => undefined);
  await pass(60);
  assert.equal(polls.length, 1);
});

test('a failed poll delays events and loses none', async (t) => {
  const { watch, pass, setAway } = startWatch(t);
  let seen = 0;
  watch.follow('job_1', () => {
    seen += 1;
  });
  setAway(true);
  await pass(3_000);
  assert.equal(seen, 0);
  setAway(false);
  await pass(1_010);
  assert.equal(seen, 1);
});

test('nothing is polled when no stream is open', async (t) => {
  const { watch, polls, pass } = startWatch(t);
  const leave = watch.follow('job_1', () => undefined);
  await pass(100);
  leave();
  polls.splice(0);
  await pass(3_000);
  assert.deepEqual(polls, []);
});
