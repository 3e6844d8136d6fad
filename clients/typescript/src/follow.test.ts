import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { answerOfProxy, createFaultyFetch } from './faulty-fetch.fixture.ts';
import { createAudiosplit } from './index.ts';

test('polls become less frequent up to a limit if the events of a job are not available', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const answerJob = (status: string) => answerOfProxy(200, {}, `{"id":"job_1","status":"${status}"}`);
  const polledAtMs: number[] = [];
  const poll = (status: string) => async () => {
    polledAtMs.push(Date.now());
    return answerJob(status)();
  };
  const network = createFaultyFetch();
  const noStream = answerOfProxy(502);
  const polls = [...Array.from({ length: 7 }, () => poll('queued')), poll('completed')];
  network.faults.push(noStream, ...polls, answerJob('completed'));

  const client = createAudiosplit({ baseUrl: 'http://api.example.com', fetch: network.fetch });
  let isCompleted = false;
  const waiting = client.waitForJob('job_1').finally(() => {
    isCompleted = true;
  });
  while (!isCompleted) {
    await setImmediate();
    context.mock.timers.tick(100);
  }
  assert.equal((await waiting).id, 'job_1');

  const pauses = polledAtMs.slice(1).map((atMs, index) => atMs - (polledAtMs[index] ?? 0));
  const expected = [2_000, 3_000, 4_500, 6_750, 10_125, 15_000, 15_000];
  assert.equal(pauses.length, expected.length);
  for (const [index, pauseMs] of pauses.entries()) {
    const lateMs = pauseMs - (expected[index] ?? 0);
    assert.ok(lateMs >= 0 && lateMs <= 1_000, `pauses of ${pauses} ms`);
  }
});
