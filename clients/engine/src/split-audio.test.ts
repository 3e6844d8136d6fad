import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { countFileSamples } from './convert/samples/file-samples.ts';
import { frameBytes } from './convert/samples/wav-header.ts';
import { decodeFile, decodeJoined } from './copy/testing/ffmpeg.ts';
import { ENCODINGS, encodingFor } from './formats/encoding.ts';
import { OUTPUT_FORMATS, type OutputFormat } from './formats/formats.ts';
import type { FinishedSegment, SplitResult } from './media.ts';
import type { MediaFailure } from './media-error.ts';
import { createAudioSamples, sound } from './testing/audio-samples.ts';
import { findProcesses } from './testing/child-processes.ts';
import { failsWith } from './testing/fails-with.ts';
import { type SplitRun, startSplit } from './testing/split-run.ts';

const RATE = 44_100;
const SECONDS = 5.3;
const TOTAL = RATE * SECONDS;

const samples = forSuite(createAudioSamples);
const sources = forSuite(async () => {
  const byName = new Map<string, Buffer>();
  for (const [name, ...args] of [
    ['wav16.wav', '-c:a', 'pcm_s16le'],
    ['wav24.wav', '-c:a', 'pcm_s24le'],
    ['s.flac'],
    ['s.mp3', '-b:a', '128k'],
    ['s.ogg', '-c:a', 'libvorbis'],
    ['s.m4a', '-c:a', 'aac'],
    ['s.mka', '-c:a', 'flac'],
  ] as const) {
    byName.set(name, await readFile(await samples.make(name, sound(RATE, SECONDS, 'stereo'), ...args)));
  }
  return { byName, wav: byName.get('wav16.wav') ?? assert.fail() };
}, samples);

function assertCovered(run: SplitRun, result: SplitResult, total: number): void {
  let next = 0;
  run.segments.forEach((segment, index) => {
    assert.equal(segment.index, index);
    assert.equal(segment.startSample, next);
    next += segment.sampleCount;
  });
  assert.equal(next, total);
  assert.equal(result.segmentCount, run.segments.length);
  assert.deepEqual(
    [...run.progress].sort((a, b) => a - b),
    run.progress,
  );
  assert.equal(run.progress.at(-1), 1);
}

/** The segment's own container and an independent decode both contain the planned samples. */
async function assertHolds(segment: FinishedSegment, format: OutputFormat): Promise<void> {
  assert.equal((await stat(segment.path)).size, segment.sizeBytes);
  const shape = { format: 's16le', sampleRateHz: segment.sampleRateHz, channelCount: 2 } as const;
  const decoded = (await decodeFile(segment.path, 's16le')).length / frameBytes(shape);
  if (format === 'mp3' || format === 'flac' || format === 'wav') assert.equal(decoded, segment.sampleCount);
  // The decoder of 2018 returns the last Vorbis and AAC block in full; the container has the exact figure.
  else
    assert.ok(decoded >= segment.sampleCount && decoded - segment.sampleCount < 2_048, `${decoded} decoded`);
  if (format === 'ogg' || format === 'aac' || format === 'mp3') {
    const held = await countFileSamples(encodingFor(format).name, segment.path, segment.sizeBytes, shape);
    assert.equal(held, segment.sampleCount);
  }
}

for (const format of OUTPUT_FORMATS) {
  test(`converts every kind of source to ${format} by duration, exact to the sample [I-1.5]`, async () => {
    for (const [name, source] of sources.byName) {
      if (name.endsWith(ENCODINGS[encodingFor(format).name].extension)) continue;
      await using run = await startSplit(source, {
        cut: { mode: 'duration', segmentDurationSeconds: 2 },
        outputFormat: format,
      });
      const result = await run.outcome;
      assertCovered(run, result, TOTAL);
      assert.deepEqual(
        [result.outputFormat, result.sourceSampleCount, result.sourceSizeBytes],
        [format, TOTAL, source.length],
      );
      assert.deepEqual(
        run.segments.map((s) => s.sampleCount),
        [88_200, 88_200, 57_330],
        name,
      );
      for (const segment of run.segments) await assertHolds(segment, format);
      assert.deepEqual(await run.leftovers(), []);
    }
  });

  test(`never passes a byte limit in ${format} and fills it well [I-1.4 C-2.5]`, async () => {
    const source = await readFile(await samples.make(`size-${format}.aiff`, sound(RATE, 12, 'stereo')));
    for (const [limit, leastFill] of [
      [65_536, 0.98],
      [150_000, 0.99],
    ] as const) {
      await using run = await startSplit(source, {
        cut: { mode: 'fileSize', maxFileSizeBytes: limit },
        outputFormat: format,
      });
      assertCovered(run, await run.outcome, 12 * RATE);
      for (const segment of run.segments) {
        await assertHolds(segment, format);
        assert.ok(segment.sizeBytes <= limit);
        // With planned sizes, the last segment but one gives a little to a last one under 0.1 s.
        if (segment.index < run.segments.length - 2)
          assert.ok(segment.sizeBytes > leastFill * limit, `${segment.sizeBytes} of ${limit} bytes`);
      }
      assert.deepEqual(await run.leftovers(), []);
    }
  });
}

test('lossless outputs contain the source bit for bit, at its depth', async () => {
  const cases = [
    ['pcm_s16le', 's16le', 'flac'],
    ['pcm_s24le', 's24le', 'flac'],
    ['pcm_s24be', 's24le', 'wav'],
    ['pcm_f32be', 'f32le', 'wav'],
  ] as const;
  for (const [codec, pcm, outputFormat] of cases) {
    const path = await samples.make(
      `${codec}.${codec.endsWith('be') ? 'caf' : 'mka'}`,
      sound(48_000, 3, 'stereo'),
      '-c:a',
      codec,
    );
    await using run = await startSplit(await readFile(path), {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat,
    });
    await run.outcome;
    assert.ok((await decodeJoined(run.segments, pcm)).equals(await decodeFile(path, pcm)), codec);
  }
});

test('a source in none of the five formats becomes the closest one by codec [D-2.27 C-6.15]', async () => {
  const cases = [
    ['alac.m4a', 'flac', 'alac'],
    ['pcm.mka', 'wav', 'pcm_s16le'],
    ['aac.mka', 'aac', 'aac'],
    ['opus.webm', 'ogg', 'libopus'],
    ['vorbis.webm', 'ogg', 'libvorbis'],
    ['tta.tta', 'flac', 'tta'],
    ['flac.ogg', 'flac', 'flac'],
    ['wma.wma', 'mp3', 'wmav2'],
  ] as const;
  for (const [name, expected, codec] of cases) {
    const path = await samples.make(name, sound(48_000, 1.5, 'stereo'), '-c:a', codec);
    await using run = await startSplit(await readFile(path), {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
    });
    assert.equal((await run.outcome).outputFormat, expected, name);
  }
});

test('the sound of a video is split, its pictures are not decoded', async () => {
  const path = await samples.make(
    'v.mp4',
    'testsrc=s=64x64:r=10:d=3',
    '-f',
    'lavfi',
    '-i',
    sound(48_000, 3, 'stereo'),
    '-c:v',
    'libx264',
    '-c:a',
    'aac',
  );
  await using run = await startSplit(await readFile(path), {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'mp3',
  });
  await run.outcome;
  assert.deepEqual(
    run.segments.map((segment) => segment.sampleCount),
    [48_000, 48_000, 48_000],
  );
});

test('audio that a format cannot represent is resampled or mixed down, counted at the new rate', async () => {
  const source = await readFile(await samples.make('surround.aiff', sound(96_000, 2.5, '5.1')));
  await using run = await startSplit(source, {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'mp3',
  });
  const result = await run.outcome;
  assert.deepEqual([result.sourceSampleCount, result.sourceSampleRateHz], [240_000, 96_000]);
  assert.deepEqual(
    run.segments.map((segment) => [segment.sampleRateHz, segment.sampleCount]),
    [
      [48_000, 48_000],
      [48_000, 48_000],
      [48_000, 24_000],
    ],
  );
});

const CUTS = [
  { mode: 'duration', segmentDurationSeconds: 2 },
  { mode: 'fileSize', maxFileSizeBytes: 65_536 },
] as const;

for (const canReopen of [false, true]) {
  test(`a source whose copying fails midway continues by conversion from there, ${canReopen ? 'read again' : 'from its copy'}`, async () => {
    const first = await readFile(await samples.make('first.mp3', sound(44_100, 4, 'stereo'), '-b:a', '128k'));
    const second = await readFile(
      await samples.make('second.mp3', sound(32_000, 4, 'mono'), '-b:a', '64k', '-id3v2_version', '0'),
    );
    const source = Buffer.concat([first, second]);
    let opened = 0;
    async function* reopenSource() {
      opened += 1;
      yield source;
    }
    await using run = await startSplit(source, {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      ...(canReopen ? { reopenSource } : {}),
    });
    const result = await run.outcome;
    assert.equal(opened, canReopen ? 1 : 0);
    assert.equal(result.sourceSizeBytes, source.length);
    assertCovered(run, result, result.sourceSampleCount);
    for (const segment of run.segments) await assertHolds(segment, 'mp3');
    assert.deepEqual(await run.leftovers(), []);
  });
}

test('a source whose index is at the end is written to disk once', async () => {
  const source = await readFile(
    await samples.make('last.m4a', sound(RATE, SECONDS, 'stereo'), '-c:a', 'aac'),
  );
  assert.ok(source.indexOf('mdat') < source.indexOf('moov'));
  const written: string[] = [];
  await using run = await startSplit(source, {
    cut: { mode: 'duration', segmentDurationSeconds: 2 },
    onSegment: async () => {
      for (const name of await readdir(run.scratchDir, { recursive: true })) written.push(name);
    },
  });
  assertCovered(run, await run.outcome, TOTAL);
  const besideSegments = new Set(written.filter((name) => !name.startsWith('segment-')));
  assert.deepEqual([...besideSegments].sort(), ['.work', '.work/source']);
});

async function assertFails(
  source: Uint8Array,
  failure: MediaFailure,
  settings: Partial<Parameters<typeof startSplit>[1]> = {},
): Promise<void> {
  await using run = await startSplit(source, {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    ...settings,
  });
  await assert.rejects(run.outcome, failsWith(failure));
  assert.deepEqual(await run.leftovers(), []);
}

test('a source longer than allowed fails before any segment, on both routes [D-3.14]', async () => {
  const source = sources.wav;
  for (const outputFormat of ['flac', 'mp3'] as const) {
    await assertFails(source, 'QUOTA_EXCEEDED', {
      outputFormat,
      maxSourceDurationMs: 5_299,
      onSegment: () => assert.fail('a segment was made'),
    });
  }
  await using run = await startSplit(source, {
    cut: { mode: 'duration', segmentDurationSeconds: 9 },
    outputFormat: 'mp3',
    maxSourceDurationMs: 5_300,
  });
  assert.equal((await run.outcome).segmentCount, 1);
});

test('limits that cannot be met have their own codes [D-2.9 D-2.10]', async () => {
  const source = sources.wav;
  for (const outputFormat of ['mp3', 'flac', 'ogg', 'aac'] as const) {
    await assertFails(source, 'SEGMENT_LIMIT_UNREACHABLE', {
      outputFormat,
      cut: { mode: 'fileSize', maxFileSizeBytes: 40 },
    });
  }
  const aiff = await readFile(await samples.make('many.aiff', sound(RATE, 3, 'stereo')));
  await assertFails(aiff, 'TOO_MANY_SEGMENTS', {
    outputFormat: 'wav',
    cut: { mode: 'fileSize', maxFileSizeBytes: 100 },
  });
});

test('empty, zero, random and stub sources are unsupported, a truncated one gives its existing audio [D-2.8]', async () => {
  const flac = await readFile(await samples.make('whole.flac', sound(RATE, 3, 'stereo')));
  await assertFails(new Uint8Array(), 'UNSUPPORTED_MEDIA');
  await assertFails(new Uint8Array(200_000), 'UNSUPPORTED_MEDIA');
  await assertFails(flac.subarray(0, 60), 'UNSUPPORTED_MEDIA', { outputFormat: 'mp3' });
  await using run = await startSplit(flac.subarray(0, flac.length / 2), {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'mp3',
  });
  const result = await run.outcome;
  assertCovered(run, result, result.sourceSampleCount);
  assert.ok(result.sourceSampleCount > RATE && result.sourceSampleCount < 2 * RATE);
});

test('aborting ends all children, empties the scratch folder and rejects with the reason', async () => {
  const args = ['-c:a', 'pcm_s16le'];
  const source = await readFile(await samples.make('long.mka', sound(RATE, 60, 'stereo'), ...args));
  const byDuration = { mode: 'duration', segmentDurationSeconds: 10 } as const;
  const cases = [
    ['mp3', byDuration],
    ['flac', CUTS[1]],
    ['ogg', CUTS[1]],
    ['aac', CUTS[1]],
  ] as const;
  for (const [outputFormat, cut] of cases) {
    const controller = new AbortController();
    const reason = new Error('lease lost');
    const children: number[] = [];
    await using run = await startSplit(source, {
      cut,
      outputFormat,
      signal: controller.signal,
      onSegment: async () => {
        children.push(...(await findProcesses(samples.ffmpegPath)));
        controller.abort(reason);
      },
    });
    await assert.rejects(run.outcome, reason);
    assert.equal(run.segments.length, 1);
    assert.deepEqual(await run.leftovers(), []);
    const alive = new Set(await findProcesses(samples.ffmpegPath));
    // The whole m4a is encoded before its first segment.
    assert.ok(children.length > 0 || outputFormat === 'aac');
    assert.deepEqual(
      children.filter((pid) => alive.has(pid)),
      [],
    );
  }
});

test('aborting does not wait for a source that has stalled', async () => {
  const head = sources.wav.subarray(0, 100_000);
  const controller = new AbortController();
  async function* stalling(): AsyncGenerator<Uint8Array> {
    yield head;
    setImmediate(() => controller.abort(new Error('stopped')));
    await new Promise(() => undefined);
  }
  await using run = await startSplit(head, {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'mp3',
    signal: controller.signal,
    source: stalling(),
  });
  await assert.rejects(run.outcome, /stopped/);
  assert.deepEqual(await run.leftovers(), []);
});

test('an error of the receiver is passed on and ends the split', async () => {
  const failure = new Error('store is full');
  const source = await readFile(await samples.make('receiver.mka', sound(RATE, 8, 'stereo'), '-c:a', 'flac'));
  for (const cut of CUTS) {
    for (const outputFormat of OUTPUT_FORMATS) {
      await using run = await startSplit(source, {
        cut,
        outputFormat,
        onSegment: () => Promise.reject(failure),
      });
      await assert.rejects(run.outcome, failure);
      assert.equal(run.segments.length, 1);
      assert.deepEqual(await run.leftovers(), []);
    }
  }
});
