/**
 * A source that accepts the connection and never answers, from the claim of its job to the report of its failure. Worker,
 * fetch, egress and timeouts are the real ones; the clock is fake.
 */
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { openSource } from '../source/fetch-source.ts';
import { engineThatCuts, startWorkerFixture } from './worker.fixture.ts';

const STEP_MS = 50;
/** Real time between two steps, in which sockets are processed. */
const TURN_MS = 1;

const answers = {
  'accepts the connection and sends nothing': '',
  'sends headers without a body': 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n',
  'sends half of its headers': 'HTTP/1.1 200 OK\r\ncontent-le',
};

for (const [what, answer] of Object.entries(answers)) {
  // Covers D-9.13 B-3.4 B-3.7
  test(`a source that ${what}: SOURCE_TIMEOUT, not retryable, after two tries, within 40 s of the claim`, async (t) => {
    await using server = await startLocalServer(({ socket }) => socket.write(answer));
    await using egress = createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] });
    await using fixture = await startWorkerFixture({
      engine: async (options) => {
        if (Symbol.asyncIterator in options.source) await Array.fromAsync(options.source);
        return engineThatCuts(10)(options);
      },
      openSource: (_url, options) => openSource(egress, `${server.origin}/talk.mp3`, options),
    });
    using clock = simulateTimers(t);
    const askedAt: number[] = [];
    await fixture.offer('job_1');
    while (fixture.said.failed.length === 0 && clock.nowMs() < 120_000) {
      await clock.step();
      if (askedAt.length < server.requests.length) askedAt.push(clock.nowMs());
    }
    const [failure] = fixture.said.failed;
    assert.deepEqual([failure?.error?.code, failure?.retryable], ['SOURCE_TIMEOUT', false]);
    assert.match(failure?.error?.message ?? '', /15 s/);
    assert.ok(clock.nowMs() <= 40_000, `${clock.nowMs()} ms`);
    const [first = 0, second = 0] = askedAt;
    assert.equal(server.requests.length, 2);
    assert.ok(second - first <= 15_000 + 2_000, `asked a second time after ${second - first} ms`);
  });
}

test('a source whose name is never resolved: SOURCE_TIMEOUT after two tries of 5 s', async (t) => {
  let resolutions = 0;
  const resolve = () => {
    resolutions += 1;
    return new Promise<never>(() => undefined);
  };
  await using egress = createGuardedEgress({ allowCidrs: [], allowUrlPrefixes: [] }, { resolve });
  await using fixture = await startWorkerFixture({
    engine: engineThatCuts(10),
    openSource: (url, options) => openSource(egress, url, options),
  });
  using clock = simulateTimers(t);
  await fixture.offer('job_1');
  while (fixture.said.failed.length === 0 && clock.nowMs() < 120_000) await clock.step();
  const [failure] = fixture.said.failed;
  assert.deepEqual([failure?.error?.code, failure?.retryable], ['SOURCE_TIMEOUT', false]);
  assert.ok(clock.nowMs() <= 12_500, `${clock.nowMs()} ms`);
  assert.equal(resolutions, 2);
});

function simulateTimers({ mock }: TestContext) {
  const sleep = setTimeout;
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  // Otherwise modules that have imported `setTimeout` from `node:timers/promises` keep the real one.
  syncBuiltinESMExports();
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    async step() {
      await new Promise((resolve) => sleep(resolve, TURN_MS));
      nowMs += STEP_MS;
      mock.timers.tick(STEP_MS);
    },
    [Symbol.dispose]() {
      mock.timers.reset();
      syncBuiltinESMExports();
    },
  };
}
