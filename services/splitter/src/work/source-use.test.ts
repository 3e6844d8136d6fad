import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { SourceError } from '../source/source-error.ts';
import { engineThatCuts, startWorkerFixture } from './worker.fixture.ts';

// Covers B-3.3
test('a worker continues with the fetch time and resumes used by earlier attempts, and reports its own use', async () => {
  const claimed = {
    request: {
      sourceUrl: 'https://example.com/a.mp3',
      cut: fromCutFields({ splitMode: 'duration', segmentDuration: 10 }),
    },
    accountId: 'acc_7',
    fence: 3n,
    leaseMs: 300,
    wallClockLeftMs: 60_000n,
    maxSourceBytes: 1_000n,
    sourceUse: { fetchMs: 4_000n, resumes: 1 },
  };
  const seen: unknown[] = [];
  await using fixture = await startWorkerFixture({
    engine: engineThatCuts(10),
    jobs: { claimJob: () => claimed },
    async openSource(_url, { accountId, use }) {
      seen.push(accountId, { ...use });
      if (use !== undefined) use.fetchMs += 1_000.4;
      await until(() => fixture.said.renewed.length > 0);
      throw new SourceError('SOURCE_UNREACHABLE', 'Away.', true);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.failed.length === 1);
  assert.deepEqual(seen, ['acc_7', { fetchMs: 4_000, resumes: 1 }]);
  for (const said of [fixture.said.renewed[0], fixture.said.failed[0]]) {
    assert.deepEqual([said?.sourceUse?.fetchMs, said?.sourceUse?.resumes], [5_000n, 1]);
  }
});
