import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangesOf } from './reporting-fetch.ts';

test('ranges of a source are requested in the first attempt only, and end the reports of fetching', async () => {
  const reported: unknown[] = [];
  const progress = { reportFetching: (fetched: unknown) => void reported.push(fetched) };
  const ranges = { sizeBytes: 100, writeTo: async () => ({ start: 0, end: 10 }) };
  const fed = { withoutSlot: <T>(wait: () => Promise<T>) => wait() };
  const { sourceRanges } = rangesOf({ ranges }, { attempt: 1 }, progress, fed);
  assert.equal(sourceRanges?.sizeBytes, 100);
  const written = await sourceRanges.writeTo('', { start: 0, end: 10 }, new AbortController().signal);
  assert.deepEqual(written, { start: 0, end: 10 });
  assert.deepEqual(reported, [undefined]);
  assert.deepEqual(rangesOf({ ranges }, { attempt: 2 }, progress, fed), {});
  assert.deepEqual(rangesOf({}, { attempt: 1 }, progress, fed), {});
});
