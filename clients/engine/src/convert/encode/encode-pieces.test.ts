/** A local file is encoded in pieces, a stream from samples. Both give the same segments. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import type { OutputFormat } from '../../formats/formats.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { failsWith } from '../../testing/fails-with.ts';
import { type SplitRun, startSplit } from '../../testing/split-run.ts';

const samples = forSuite(createAudioSamples);

const CUT = { mode: 'duration', segmentDurationSeconds: 1.7 } as const;

async function splitLocally(path: string, outputFormat: OutputFormat, settings = {}): Promise<SplitRun> {
  const bytes = await readFile(path);
  const source = { path, sizeBytes: bytes.length };
  return startSplit(bytes, { cut: CUT, outputFormat, source, ...settings });
}

async function splitIncoming(path: string, outputFormat: OutputFormat): Promise<SplitRun> {
  return startSplit(await readFile(path), { cut: CUT, outputFormat });
}

/** Returns the result and the segments in order. */
async function outcomeOf(run: SplitRun) {
  const { outputFormat, ...result } = await run.outcome;
  let end = 0;
  for (const segment of run.segments) {
    assert.equal(segment.startSample, end);
    end += segment.sampleCount;
  }
  assert.equal(end, result.sourceSampleCount);
  assert.deepEqual(await run.leftovers(), []);
  return { result, files: await Promise.all(run.segments.map(({ path }) => readFile(path))) };
}

test('the segments equal, byte for byte, those of a source that is decoded at once', async () => {
  const mp3 = await samples.make('pieces.mp3', sound(44_100, 6, 'stereo'), '-q:a', '3');
  const lowRate = await samples.make('low-rate.mp3', sound(22_050, 6, 'mono'), '-b:a', '24k');
  const untagged = await samples.make('untagged.mp3', sound(48_000, 6, 'stereo'), '-write_xing', '0');
  const flac = await samples.make('pieces.flac', sound(44_100, 6, 'stereo'));
  const deep = await samples.make('deep.flac', sound(48_000, 6, 'stereo'), '-sample_fmt', 's32');
  const cases = [
    [mp3, 'ogg'],
    [mp3, 'flac'],
    [mp3, 'aac'],
    [lowRate, 'aac'],
    [lowRate, 'ogg'],
    [untagged, 'ogg'],
    [flac, 'mp3'],
    [deep, 'ogg'],
  ] as const;
  for (const [path, outputFormat] of cases) {
    await using local = await splitLocally(path, outputFormat);
    await using incoming = await splitIncoming(path, outputFormat);
    const [actual, expected] = [await outcomeOf(local), await outcomeOf(incoming)];
    assert.deepEqual(actual.result, expected.result, `${path} as ${outputFormat}`);
    for (const [index, file] of actual.files.entries()) {
      // An m4a begins with the decoder's delay, which is not played, instead of silence.
      if (outputFormat === 'aac' && index === 0) continue;
      assert.ok(expected.files[index]?.equals(file), `${path} as ${outputFormat}, segment ${index}`);
    }
  }
});

test('after damage in a piece, the rest is as the decoder reads it', async () => {
  const path = await samples.make('damaged.flac', sound(44_100, 6, 'stereo'));
  const bytes = await readFile(path);
  bytes.fill(0x55, Math.floor(bytes.length * 0.5), Math.floor(bytes.length * 0.5) + 2_000);
  await writeFile(path, bytes);
  await using local = await splitLocally(path, 'mp3');
  await using incoming = await splitIncoming(path, 'mp3');
  const [actual, expected] = [await outcomeOf(local), await outcomeOf(incoming)];
  assert.deepEqual(actual.result, expected.result);
  assert.ok(actual.files.every((file, index) => expected.files[index]?.equals(file)));
});

test('if the format changes midway, the rest is decoded at once', async () => {
  const first = await readFile(
    await samples.make('first.mp3', sound(44_100, 4, 'stereo'), '-write_xing', '0'),
  );
  const second = await readFile(
    await samples.make('second.mp3', sound(32_000, 4, 'stereo'), '-write_xing', '0'),
  );
  const path = await samples.make('changing.mp3', sound(44_100, 1, 'stereo'));
  await writeFile(path, Buffer.concat([first, second]));
  await using local = await splitLocally(path, 'ogg');
  await using incoming = await splitIncoming(path, 'ogg');
  const [actual, expected] = [await outcomeOf(local), await outcomeOf(incoming)];
  assert.deepEqual(actual.result, expected.result);
  assert.deepEqual(actual.files[0], expected.files[0]);
});

test('a local source beyond its allowance fails', async () => {
  const path = await samples.make('long.mp3', sound(44_100, 20, 'mono'), '-write_xing', '0');
  await using run = await splitLocally(path, 'ogg', { maxSourceDurationMs: 4_000 });
  await assert.rejects(run.outcome, failsWith('QUOTA_EXCEEDED'));
  assert.equal(run.segments.length, 0);
  assert.deepEqual(await run.leftovers(), []);
});

test('an abort leaves no files', async () => {
  const path = await samples.make('aborted.mp3', sound(44_100, 30, 'stereo'));
  const controller = new AbortController();
  await using run = await splitLocally(path, 'aac', { signal: controller.signal });
  await until(() => run.segments.length > 0, 'a segment');
  const reason = new Error('aborted');
  controller.abort(reason);
  await assert.rejects(run.outcome, reason);
  assert.deepEqual(await run.leftovers(), []);
});

test('progress rises while pieces are encoded', async () => {
  const path = await samples.make('progress.flac', sound(44_100, 30, 'stereo'));
  await using run = await splitLocally(path, 'mp3', {
    cut: { mode: 'duration', segmentDurationSeconds: 10 },
  });
  await run.outcome;
  assert.ok(run.progress.length > 3);
  assert.ok(run.progress.every((fraction, index) => fraction >= (run.progress[index - 1] ?? 0)));
  assert.equal(run.progress.at(-1), 1);
});
