/** Sources that look at first as if they could be copied. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createSource } from '../copy/testing/ffmpeg.ts';
import type { FinishedSegment } from '../media.ts';
import { COPIED, createPlannedSamples, splitByRequest } from './planned.fixture.ts';

const MAX_FILE_SIZE = 400_000;

const fixture = forSuite(() => createPlannedSamples(['flac', 'opus']));

test('damage that only decoding detects: with a ceiling everything is planned again and encoded', async () => {
  const source = Buffer.from(fixture.sourceOf('flac'));
  const at = Math.floor(source.length * 0.9);
  source.writeUInt8(source.readUInt8(at) ^ 0xff, at);
  const { ffmpegPath } = fixture.samples;
  for (const dryRun of [false, true]) {
    // The last one of each index counts.
    const last = new Map<number, FinishedSegment>();
    await using done = await splitByRequest(
      source,
      {
        splitMode: 'fileSize',
        maxFileSize: MAX_FILE_SIZE,
        trim: { start: 1 },
        encoding: { md5: true },
        dryRun,
      },
      { ffmpegPath, onSegment: async (segment) => void last.set(segment.index, segment) },
    );
    const { segmentCount, sourceSampleCount } = done.result;
    const segments = [...last.values()].filter(({ index }) => index < segmentCount);
    assert.equal(segments.length, segmentCount);
    let end = 44_100;
    for (const { startSample, sampleCount, sizeBytes } of segments.sort((a, b) => a.index - b.index)) {
      assert.equal(startSample, end);
      if (!dryRun) assert.ok(sizeBytes <= MAX_FILE_SIZE, `${sizeBytes} bytes`);
      end += sampleCount;
    }
    assert.equal(end, sourceSampleCount);
  }
});

test('chained Opus streams stay Opus with a ceiling', async () => {
  const { opus } = COPIED;
  assert.ok(opus);
  const source = Buffer.concat([fixture.sourceOf('opus'), await createSource({ ...opus, seconds: 3 })]);
  const { ffmpegPath } = fixture.samples;
  await using done = await splitByRequest(
    source,
    { splitMode: 'fileSize', maxFileSize: 80_000, overlap: 0.5 },
    { ffmpegPath },
  );
  assert.ok(done.segments.length > 1);
  for (const { sizeBytes, path } of done.segments) {
    assert.ok(sizeBytes <= 80_000);
    assert.match((await fixture.samples.describe(path)).description, /^opus/);
  }
});
