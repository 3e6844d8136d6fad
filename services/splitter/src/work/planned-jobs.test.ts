import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import type { FinishedSegment } from '@audiosplit/engine/media';
import type { CutFields } from '@audiosplit/proto/cut';
import { type Engine, RATE_HZ, resultOf, segmentFile, startWorkerFixture } from './worker.fixture.ts';

/** An engine whose segments overlap, in the order given. */
function engineThatPlans(...segments: readonly Partial<FinishedSegment>[]): Engine {
  return async ({ cut, scratchDir, onSegment }) => {
    assert.equal(cut.mode, 'planned');
    for (const [index, segment] of segments.entries()) {
      const { startSample = 0, sampleCount = 1_000 } = segment;
      const made = await segmentFile(scratchDir, index, startSample, sampleCount);
      await onSegment({ ...made, ...segment });
    }
    const loudness = { measuredLufs: -20.5, gainDb: 4.5, truePeakDbtp: -1.5 };
    return { ...resultOf(segments.length, 30 * RATE_HZ), meteredSampleCount: 12 * RATE_HZ, loudness };
  };
}

async function completionOf(cut: CutFields, engine: Engine) {
  await using fixture = await startWorkerFixture({ cut, engine });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length + fixture.said.failed.length === 1);
  const [completed] = fixture.said.completed;
  assert.ok(completed, JSON.stringify(fixture.said.failed));
  const stored = await Promise.all(
    completed.segments
      .filter(({ objectKey }) => objectKey !== '')
      .map(async ({ objectKey }) => (await fixture.store.head(objectKey)).sizeBytes),
  );
  return { completed, stored };
}

// Covers C-8.3 C-8.9
test('segments of a plan are reported with their titles, ends and names, including gaps and overlaps', async () => {
  const { completed, stored } = await completionOf(
    { splitMode: 'ranges', ranges: [{ start: 5 }, { start: 2 }], fileName: '{number} {title}' },
    engineThatPlans(
      { startSample: 5_000, sampleCount: 1_500, endKind: 'range', title: 'Two: b' },
      { startSample: 2_000, sampleCount: 4_000, endKind: 'end', contentStartSample: 2_500 },
    ),
  );
  assert.deepEqual(
    completed.segments.map(({ fileName, startMs, durationMs, contentStartMs, endKind, title }) => [
      fileName,
      ...[startMs, durationMs, contentStartMs].map((ms) => ms && Number(ms)),
      endKind,
      title,
    ]),
    [
      ['1 Two_ b.mp3', 5_000, 1_500, undefined, 'range', 'Two: b'],
      ['2_.mp3', 2_000, 4_000, 2_500, 'end', undefined],
    ],
  );
  assert.deepEqual(stored, [1_500, 4_000]);
  assert.equal(completed.meteredMs, 12_000n);
  assert.deepEqual(
    [completed.loudness?.measuredLufs, completed.loudness?.gainDb, completed.loudness?.truePeakDbtp],
    [-20.5, 4.5, -1.5],
  );
});

test('the length of a source that was not read to its end is reported as an estimate', async () => {
  for (const isSourceLengthEstimate of [true, undefined] as const) {
    const { completed } = await completionOf(
      { splitMode: 'ranges', ranges: [{ start: 1, end: 2 }] },
      async (options) => {
        const result = await engineThatPlans({ endKind: 'range' })(options);
        return isSourceLengthEstimate === undefined ? result : { ...result, isSourceLengthEstimate };
      },
    );
    assert.equal(completed.sourceDurationIsEstimate, isSourceLengthEstimate === true);
  }
});

// Covers C-9.3 C-9.7
test('a dry run stores nothing and uses nothing', async () => {
  const { completed, stored } = await completionOf(
    { splitMode: 'parts', parts: 2, dryRun: true },
    engineThatPlans(
      { path: '', dryRun: { isExactSize: true } },
      { path: '', dryRun: { isExactSize: false } },
    ),
  );
  assert.deepEqual(stored, []);
  assert.deepEqual(
    completed.segments.map(({ objectKey, sizeBytes, sizeIsEstimate }) => [
      objectKey,
      sizeBytes,
      sizeIsEstimate,
    ]),
    [
      ['', 1_000n, false],
      ['', 1_000n, true],
    ],
  );
  assert.equal(completed.meteredMs, 0n);
});

test('a dry run of a link stores its waveform below the prefix of the job; that of an upload is drawn on demand', async () => {
  const waveform = { sampleRateHz: RATE_HZ, samplesPerPixel: 10, values: new Int8Array([-1, 1, -2, 2]) };
  for (const uploadKey of [undefined, 'uploads/acc_1/up_1']) {
    await using fixture = await startWorkerFixture({
      cut: { splitMode: 'silence', dryRun: true },
      ...(uploadKey === undefined ? {} : { uploadKey }),
      engine: async (options) => {
        const result = await engineThatPlans({ path: '', dryRun: { isExactSize: true } })(options);
        if (options.waveform === undefined) return result;
        assert.deepEqual(options.waveform, { maxPixels: 20_000, maxMs: 5_000 });
        return { ...result, waveform };
      },
    });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    const keys = await Array.fromAsync(fixture.store.list('jobs/'), ({ key }) => key);
    assert.deepEqual(keys, uploadKey === undefined ? ['jobs/job_1/waveform.dat'] : []);
    if (uploadKey !== undefined) continue;
    const { body } = await fixture.store.get('jobs/job_1/waveform.dat');
    const data = Buffer.concat(await body.toArray());
    assert.deepEqual(
      [data.readInt32LE(8), data.readInt32LE(12), data.readInt32LE(16), ...data.subarray(24)],
      [RATE_HZ, 10, 2, 255, 1, 254, 2],
    );
  }
});

test('a planned segment that is missing fails the attempt', async () => {
  await using fixture = await startWorkerFixture({
    cut: { splitMode: 'parts', parts: 2 },
    engine: async (options) => {
      const result = await engineThatPlans({})(options);
      return { ...result, segmentCount: 2 };
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.failed.length === 1);
  assert.equal(fixture.said.failed[0]?.error?.code, 'INTERNAL_ERROR');
  assert.equal(fixture.said.failed[0]?.retryable, true);
});

// Covers C-10.4
test('each segment of a plain cut reports how it ended', async () => {
  await using fixture = await startWorkerFixture({
    engine: async ({ scratchDir, onSegment }) => {
      for (const index of [0, 1, 2]) await onSegment(await segmentFile(scratchDir, index, index * 10, 10));
      return resultOf(3, 30);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length === 1);
  const [completed] = fixture.said.completed;
  assert.deepEqual(
    completed?.segments.map(({ endKind }) => endKind),
    ['exact', 'exact', 'end'],
  );
  assert.equal(completed?.meteredMs, undefined);
});
