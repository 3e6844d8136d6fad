import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { MediaError } from '../media-error.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { failsWith } from '../testing/fails-with.ts';
import { startSplit } from '../testing/split-run.ts';

const RATE = 44_100;
const CUTS = [
  { mode: 'duration', segmentDurationSeconds: 1 },
  { mode: 'fileSize', maxFileSizeBytes: 65_536 },
] as const;

const samples = forSuite(createAudioSamples);

/** A source whose second part arrives when `gate` opens. */
async function* gated(bytes: Uint8Array, share: number, gate: Promise<void>): AsyncGenerator<Uint8Array> {
  const middle = Math.floor(bytes.length * share);
  for (let at = 0; at < middle; at += 20_000) yield bytes.subarray(at, Math.min(middle, at + 20_000));
  await gate;
  yield bytes.subarray(middle);
}

test('segments are delivered before the source has ended', async () => {
  const tone = sound(RATE, 30, 'stereo');
  const wav = await samples.make('arriving.wav', tone);
  const m4a = await samples.make('arriving.m4a', tone, '-c:a', 'alac', '-movflags', '+faststart');
  const mka = await samples.make('arriving.mka', tone, '-c:a', 'flac');
  const [byDuration, bySize] = CUTS;
  // Without m4a under a size limit: its index, with which cutting begins, is known last.
  const cases = [
    [wav, 'mp3', byDuration],
    [wav, 'mp3', bySize],
    [wav, 'flac', bySize],
    [wav, 'ogg', bySize],
    [m4a, 'aac', byDuration],
    [mka, 'wav', bySize],
  ] as const;
  for (const [path, outputFormat, cut] of cases) {
    const source = await readFile(path);
    const gate = Promise.withResolvers<void>();
    const controller = new AbortController();
    await using run = await startSplit(source, {
      cut,
      outputFormat,
      source: gated(source, 0.8, gate.promise),
      signal: controller.signal,
    });
    try {
      await until(() => run.segments.length > 0, `a ${outputFormat} segment of ${path}`);
    } catch (error) {
      controller.abort(error);
      throw error;
    }
    const early = Math.max(...run.progress);
    assert.ok(early > 0 && early < 0.9, `${early} done`);
    gate.resolve();
    assert.equal((await run.outcome).sourceSampleCount, 30 * RATE);
    const held = run.segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
    assert.equal(held, 30 * RATE);
  }
});

function isQuotaExceeded(error: unknown): boolean {
  return error instanceof MediaError && error.failure === 'QUOTA_EXCEEDED';
}

// Covers D-3.14
test('a source beyond its allowance fails before anything is encoded, and is not fetched to the end', async () => {
  const tone = sound(RATE, 20, 'stereo');
  const streamedWav = await readFile(await samples.make('long.wav', tone));
  // The sizes that a writer leaves in the header if it cannot seek back to it.
  for (const at of [4, streamedWav.indexOf('data') + 4]) streamedWav.fill(0xff, at, at + 4);
  const sources = new Map([['streamed.wav', streamedWav]]);
  for (const [name, ...args] of [
    ['long.flac'],
    ['long.mka'],
    ['long.ogg'],
    ['long.aac'],
    ['untagged.mp3', '-write_xing', '0', '-b:a', '64k'],
  ] as const) {
    sources.set(name, await readFile(await samples.make(name, tone, ...args)));
  }
  for (const [name, bytes] of sources) {
    const neverOpened = Promise.withResolvers<void>();
    await using run = await startSplit(bytes, {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat: name.endsWith('wav') ? 'flac' : 'wav',
      maxSourceDurationMs: 4_000,
      source: gated(bytes, 0.9, neverOpened.promise),
    });
    await assert.rejects(run.outcome, isQuotaExceeded, name);
    assert.equal(run.segments.length, 0, name);
    assert.deepEqual(await run.leftovers(), []);
  }
});

test('a source of unknown length within its allowance is split like any other', async () => {
  const bytes = await readFile(await samples.make('short.ogg', sound(RATE, 5, 'stereo')));
  for (const outputFormat of ['mp3', 'aac'] as const) {
    for (const cut of CUTS) {
      await using run = await startSplit(bytes, {
        cut,
        outputFormat,
        maxSourceDurationMs: 5_000,
      });
      assert.equal((await run.outcome).sourceSampleCount, 5 * RATE);
      const held = run.segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
      assert.equal(held, 5 * RATE);
      assert.deepEqual(await run.leftovers(), []);
    }
  }
});

test('a header that claims too much has no effect on the result', async () => {
  const whole = await readFile(await samples.make('claims.wav', sound(RATE, 20, 'stereo')));
  const bytes = whole.subarray(0, Math.floor(whole.length / 4));
  await using run = await startSplit(bytes, {
    cut: { mode: 'duration', segmentDurationSeconds: 2 },
    outputFormat: 'mp3',
    maxSourceDurationMs: 10_000,
  });
  const result = await run.outcome;
  assert.equal(result.segmentCount, 3);
  assert.ok(Math.abs(result.sourceSampleCount - 5 * RATE) < 100);
});

test('more segments than allowed are rejected before the first, if the header shows the number', async () => {
  const bytes = await readFile(await samples.make('many.flac', 'anullsrc=r=1000:cl=mono', '-t', '10001'));
  await using run = await startSplit(bytes, {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'mp3',
  });
  await assert.rejects(run.outcome, failsWith('TOO_MANY_SEGMENTS'));
  assert.equal(run.segments.length, 0);
});

test('an error of the source is passed on', async () => {
  const bytes = await readFile(await samples.make('broken.mka', sound(RATE, 2, 'stereo'), '-c:a', 'flac'));
  const failure = new Error('connection reset');
  for (const length of [10_000, 200_000]) {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, length);
      throw failure;
    }
    await using run = await startSplit(bytes, {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat: 'mp3',
      source: breaking(),
    });
    await assert.rejects(run.outcome, failure);
    assert.deepEqual(await run.leftovers(), []);
  }
});
