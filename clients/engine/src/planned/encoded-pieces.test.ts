import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile, stat } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { decodeFile, decodeFiles } from '../copy/testing/ffmpeg.ts';
import { sound } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import {
  createPlannedSamples,
  type PlannedSamples,
  RANGES,
  SECONDS,
  splitByRequest,
  timesOf,
} from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(['wav', 'm4a', 'flac']));
const split: PlannedSamples['split'] = (...args) => fixture.split(...args);

describe('encoded', () => {
  // Covers C-2.38
  test('ranges to mp3, aac, ogg, flac and wav, at the sample', async () => {
    for (const outputFormat of ['mp3', 'aac', 'ogg', 'flac', 'wav'] as const) {
      await using done = await split('wav', RANGES, { outputFormat });
      assert.deepEqual(
        timesOf(done.segments),
        [
          [15.5, 19.25],
          [0, 5],
          [4.2, 9.1],
          [20, SECONDS],
        ],
        outputFormat,
      );
      const tolerance = outputFormat === 'aac' || outputFormat === 'ogg' ? 2_048 : 0;
      const decoded = await decodeFiles(
        done.segments.map(({ path }) => path),
        's16le',
      );
      for (const [index, pcm] of decoded.entries()) {
        const expected = done.segments[index]?.sampleCount ?? 0;
        assert.ok(
          Math.abs(pcm.length / 4 - expected) <= tolerance,
          `${outputFormat}: ${pcm.length / 4} of ${expected}`,
        );
      }
    }
  });

  // Covers C-3.5
  test('with a ceiling of bytes, for any way to determine the size', async () => {
    for (const outputFormat of ['mp3', 'aac', 'ogg', 'flac', 'wav'] as const) {
      const maxFileSize = outputFormat === 'wav' || outputFormat === 'flac' ? 800_000 : 80_000;
      const request: CutRequest = { splitMode: 'parts', parts: 2, maxFileSize };
      await using done = await split('m4a', request, { outputFormat });
      assert.ok(done.segments.length > 2);
      let end = 0;
      for (const segment of done.segments) {
        assert.equal(segment.startSample, end);
        end += segment.sampleCount;
        assert.ok(segment.sizeBytes <= maxFileSize, `${outputFormat}: ${segment.sizeBytes}`);
      }
      assert.equal(done.result.outputFormat, outputFormat);
    }
  });

  // Covers C-3.5
  test('with a ceiling of bytes that includes titles and overlap', async () => {
    const chapters = [{ startTime: 0, title: 'x'.repeat(500) }, { startTime: 12 }];
    for (const outputFormat of ['mp3', 'ogg', 'wav'] as const) {
      const maxFileSize = outputFormat === 'wav' ? 800_000 : 80_000;
      for (const request of [
        { splitMode: 'chapters', chapters, maxFileSize },
        { splitMode: 'parts', parts: 2, overlap: 0.5, maxFileSize },
      ] satisfies CutRequest[]) {
        await using done = await split('m4a', request, { outputFormat });
        assert.ok(done.segments.length > 2);
        for (const { path, sizeBytes } of done.segments) {
          assert.equal((await stat(path)).size, sizeBytes);
          assert.ok(sizeBytes <= maxFileSize, `${outputFormat} ${request.splitMode}: ${sizeBytes}`);
        }
      }
    }
  });

  // Covers C-7.18
  test('for a speech-to-text service: mono, 16 kHz, mp3', async () => {
    await using done = await split('flac', { splitMode: 'parts', parts: 2, preset: 'speech' });
    assert.equal(done.result.outputFormat, 'mp3');
    for (const { path, sampleRateHz, sizeBytes } of done.segments) {
      assert.equal(sampleRateHz, 16_000);
      assert.match((await fixture.samples.describe(path)).description, /^mp3, 16000 Hz, mono/);
      assert.ok(Math.abs(sizeBytes - 12 * 6_000) < 3_000);
    }
  });
});

/** The children that decode no more than the first frame of a source. */
function countProbes() {
  let count = 0;
  const onChild = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => {
      if (child.spawnargs.includes('-frames:a')) count += 1;
    });
  };
  subscribe('child_process', onChild);
  return { count: () => count, [Symbol.dispose]: () => unsubscribe('child_process', onChild) };
}

test('a source is probed once, for any number of encoding passes', async () => {
  const ceiling: CutRequest = { splitMode: 'parts', parts: 2, maxFileSize: 80_000 };
  for (const name of ['wav', 'm4a', 'flac'])
    for (const request of [RANGES, ceiling]) {
      using probes = countProbes();
      await using done = await split(name, request, { outputFormat: 'ogg' });
      assert.ok(done.segments.length > 2);
      assert.equal(probes.count(), 1, `${name}, ${request.splitMode}`);
    }
});

test('a split beyond the quota is not encoded, even if one file would be encoded first', async () => {
  const request: CutRequest = { splitMode: 'fileSize', maxFileSize: 65_536, trim: { end: 20 } };
  const settings = {
    outputFormat: 'ogg',
    maxSourceDurationMs: 19_000,
    onSegment: async () => assert.fail(),
  } as const;
  await assert.rejects(split('wav', request, settings), failsWith('QUOTA_EXCEEDED'));
  await using done = await split('wav', request, { outputFormat: 'ogg', maxSourceDurationMs: 20_000 });
  assert.equal(timesOf(done.segments).at(-1)?.at(-1), 20);
});

// Covers C-2.5 C-3.6
test('a ceiling applies to the encoded files, not to the decoded ones', async () => {
  const path = await fixture.samples.make('long.flac', sound(44_100, 40, 'stereo'), '-c:a', 'flac');
  const { size } = await stat(path);
  const request: CutRequest = { splitMode: 'duration', segmentDuration: 60, maxFileSize: 300_000 };
  await using done = await splitByRequest(await readFile(path), request, {
    ffmpegPath: fixture.samples.ffmpegPath,
    source: { path, sizeBytes: size },
    outputFormat: 'mp3',
  });
  assert.equal(timesOf(done.segments).at(-1)?.at(-1), 40);
  for (const { sizeBytes } of done.segments.slice(0, -1))
    assert.ok(sizeBytes > 290_000 && sizeBytes <= 300_000);
});

// Covers C-7.12 C-7.14
test('one gain brings all segments to the requested loudness', async () => {
  const quiet = await fixture.samples.make(
    'quiet.wav',
    'sine=f=997:r=48000:d=12,volume=0.05',
    '-c:a',
    'pcm_s16le',
  );
  const request: CutRequest = { splitMode: 'parts', parts: 3, encoding: { loudness: { target: -16 } } };
  await using done = await splitByRequest(await readFile(quiet), request, {
    ffmpegPath: fixture.samples.ffmpegPath,
  });
  const { loudness } = done.result;
  assert.ok(loudness?.measuredLufs !== undefined && loudness.truePeakDbtp !== undefined);
  assert.ok(Math.abs(loudness.measuredLufs + loudness.gainDb + 16) < 0.1, JSON.stringify(loudness));
  assert.equal(done.segments.length, 3);
  for (const { path } of done.segments) {
    const pcm = await decodeFile(path, 's16le');
    const peak = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2).reduce(
      (most, value) => Math.max(most, value),
      0,
    );
    assert.ok(Math.abs(20 * Math.log10(peak / 32_768) - loudness.truePeakDbtp) < 0.3);
  }
});
