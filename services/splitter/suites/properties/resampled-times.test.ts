/**
 * For a source that is resampled because the output does not support its rate, the segments' times still add
 * up to the source's.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { splitAudio } from '@audiosplit/engine/split-audio';
import { createAudioSamples } from '@audiosplit/engine/testing/audio-samples';
import { createPcmFile } from '@audiosplit/engine/testing/pcm-files';
import fc from 'fast-check';
import { startWorkerFixture } from '../../src/work/worker.fixture.ts';

const RUNS = Number(process.env.SPLIT_PROPERTY_RUNS ?? 12);

const cases = fc.record({
  sampleRateHz: fc.integer({ min: 1_000, max: 200_000 }),
  sampleCount: fc.integer({ min: 1, max: 60_000 }),
  kind: fc.constantFrom('wav', 'aiff', 'au', 'caf'),
  outputFormat: fc.constantFrom('mp3', 'aac', 'ogg', 'flac'),
  cut: fc.constantFrom(
    { mode: 'duration', segmentDurationSeconds: 0.5 } as const,
    { mode: 'fileSize', maxFileSizeBytes: 65_536 } as const,
  ),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** Ends just before half a millisecond: rounded at an mp3's rate, it ends after it. */
const ACROSS_HALF_A_MILLISECOND: Case = {
  sampleRateHz: 8_012,
  sampleCount: 28_110,
  kind: 'au',
  outputFormat: 'mp3',
  cut: { mode: 'duration', segmentDurationSeconds: 0.5 },
};

describe('a source with an unusual sample rate', () => {
  const samples = forSuite(createAudioSamples);

  test('is published completely in every format', () =>
    fc.assert(fc.asyncProperty(cases, checkPublished), {
      numRuns: RUNS,
      examples: [
        [ACROSS_HALF_A_MILLISECOND],
        [{ ...ACROSS_HALF_A_MILLISECOND, sampleCount: 3_345 }],
        [{ ...ACROSS_HALF_A_MILLISECOND, sampleCount: 7 }],
      ],
    }));

  async function checkPublished({ kind, outputFormat, cut, ...shape }: Case): Promise<void> {
    const bytes = createPcmFile(kind, { ...shape, channelCount: 1, bits: 16 });
    let heldSamples = 0;
    let outputRateHz = Number.NaN;
    await using fixture = await startWorkerFixture({
      engine: ({ maxSourceDurationMs: _length, maxOutputBytes: _output, ...options }) =>
        splitAudio({
          ...options,
          source: inOneChunk(bytes),
          sourceSizeBytes: bytes.length,
          ffmpegPath: samples.ffmpegPath,
          cut,
          outputFormat,
          onSegment: async (segment) => {
            heldSamples += segment.sampleCount;
            outputRateHz = segment.sampleRateHz;
            await options.onSegment(segment);
          },
        }),
    });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length + fixture.said.failed.length === 1);
    const [done] = fixture.said.completed;
    assert.deepEqual(fixture.said.failed, []);
    const due = Math.max(1, Math.round((shape.sampleCount * outputRateHz) / shape.sampleRateHz));
    assert.equal(heldSamples, due);
    assert.equal(done?.sourceDurationMs, BigInt(Math.round((shape.sampleCount * 1000) / shape.sampleRateHz)));
    let endMs = 0n;
    for (const { startMs, durationMs } of done?.segments ?? []) {
      assert.equal(startMs, endMs);
      endMs += durationMs;
    }
    assert.equal(endMs, done?.sourceDurationMs);
  }
});

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
