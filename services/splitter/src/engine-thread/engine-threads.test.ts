import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import type { SplitOptions } from '@audiosplit/engine/media';
import { MediaError } from '@audiosplit/engine/media-error';
import { splitAudio } from '@audiosplit/engine/split-audio';
import { createAudioSamples, sound } from '@audiosplit/engine/testing/audio-samples';
import { startEngineThreads } from './engine-threads.ts';
import { inChunks, splitInScratch } from './testing/scratch-split.ts';

const samples = forSuite(createAudioSamples);
const threads = forSuite(() => startEngineThreads({ log: silentLogger() }));
const NOISE = sound(44_100, 5, 'stereo');
const sources = forSuite(
  async () => ({
    mp3: await readFile(await samples.make('noise.mp3', NOISE, '-b:a', '128k')),
    wav: await readFile(await samples.make('noise.wav', NOISE)),
  }),
  samples,
);

describe('a split in a thread ends like one without a thread', () => {
  interface Case {
    readonly name: string;
    readonly source: () => Uint8Array;
    readonly settings?: Partial<SplitOptions>;
  }
  const cases: readonly Case[] = [
    { name: 'copying mp3', source: () => sources.mp3 },
    {
      name: 'copying wav under a byte ceiling',
      source: () => sources.wav,
      settings: { cut: { mode: 'fileSize', maxFileSizeBytes: 200_000 } },
    },
    { name: 'converting', source: () => sources.mp3, settings: { outputFormat: 'flac' } },
  ];
  for (const { name, source, settings } of cases) {
    test(name, async () => {
      const common = { ffmpegPath: samples.ffmpegPath, sourceSizeBytes: source().byteLength, ...settings };
      await using direct = await splitInScratch(splitAudio, { ...common, source: inChunks(source()) });
      await using threaded = await splitInScratch(threads.split, { ...common, source: inChunks(source()) });
      assert.deepEqual(await threaded.outcome, await direct.outcome);
      assert.deepEqual(await threaded.describeSegments(), await direct.describeSegments());
      assert.ok(threaded.segments.length > 1);
      assert.equal(threaded.progress.at(-1), 1);
      assert.deepEqual(
        threaded.progress,
        threaded.progress.toSorted((a, b) => a - b),
      );
      assert.deepEqual(await threaded.leftovers(), []);
    });
  }

  test('copying a local file, without sending its bytes to the thread', async () => {
    const file = { path: join(samples.dir, 'noise.wav'), sizeBytes: sources.wav.byteLength };
    const common = { ffmpegPath: samples.ffmpegPath };
    await using direct = await splitInScratch(splitAudio, { ...common, source: inChunks(sources.wav) });
    await using threaded = await splitInScratch(threads.split, { ...common, source: file });
    assert.deepEqual(await threaded.outcome, await direct.outcome);
    assert.deepEqual(await threaded.describeSegments(), await direct.describeSegments());
    assert.equal(threaded.progress.at(-1), 1);
    assert.deepEqual(await threaded.leftovers(), []);
  });

  for (const fails of [false, true]) {
    test(`reading the source again${fails ? ', which fails' : ''}`, async () => {
      // Cut off after a frame and followed by junk, at which copying gives up.
      const damaged = Buffer.concat([
        sources.mp3.subarray(0, 60_000),
        Buffer.alloc(20_000, 0x55),
        sources.mp3.subarray(60_000),
      ]);
      const gone = new Error('the source is gone');
      let opened = 0;
      async function* reopenSource() {
        opened += 1;
        if (fails) throw gone;
        yield* inChunks(damaged);
      }
      const common = { ffmpegPath: samples.ffmpegPath, reopenSource };
      await using direct = await splitInScratch(splitAudio, { ...common, source: inChunks(damaged) });
      const expected = await direct.outcome.catch((error: unknown) => error);
      await using threaded = await splitInScratch(threads.split, { ...common, source: inChunks(damaged) });
      const outcome = await threaded.outcome.catch((error: unknown) => error);
      assert.equal(opened, 2);
      if (fails) assert.deepEqual([expected, outcome], [gone, gone]);
      else assert.deepEqual(outcome, expected);
      assert.deepEqual(await threaded.describeSegments(), await direct.describeSegments());
      assert.deepEqual(await threaded.leftovers(), []);
    });
  }

  const refusals: readonly Case[] = [
    { name: 'a source that is not audio', source: () => Buffer.from('<!doctype html><p>not found') },
    { name: 'an empty source', source: () => new Uint8Array() },
    {
      name: 'a source beyond the quota',
      source: () => sources.mp3,
      settings: { maxSourceDurationMs: 1_000 },
    },
    {
      name: 'a ceiling below the size of a frame',
      source: () => sources.mp3,
      settings: { cut: { mode: 'fileSize', maxFileSizeBytes: 100 } },
    },
  ];
  for (const { name, source, settings } of refusals) {
    test(`rejecting ${name}`, async () => {
      const common = { ffmpegPath: samples.ffmpegPath, ...settings };
      await using direct = await splitInScratch(splitAudio, { ...common, source: inChunks(source()) });
      await using threaded = await splitInScratch(threads.split, { ...common, source: inChunks(source()) });
      const expected: unknown = await direct.outcome.catch((error: unknown) => error);
      assert.ok(expected instanceof MediaError);
      await assert.rejects(threaded.outcome, (error) => {
        assert.ok(error instanceof MediaError);
        assert.equal(error.failure, expected.failure);
        assert.equal(error.message, expected.message);
        return true;
      });
      assert.deepEqual(await threaded.leftovers(), []);
    });
  }
});

describe('an error of the caller is returned as the same object', () => {
  class CallersError extends Error {
    readonly marker = Symbol('not cloneable');
  }
  const error = new CallersError('from outside');
  const isTheError = (thrown: unknown): boolean => thrown === error;

  test('from the source, in the middle of the stream', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield* inChunks(sources.mp3.subarray(0, 40_000), 10_000);
      throw error;
    }
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: breaking(),
    });
    await assert.rejects(run.outcome, isTheError);
    assert.deepEqual(await run.leftovers(), []);
  });

  test('from onSegment', async () => {
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: inChunks(sources.mp3),
      onSegment: () => Promise.reject(error),
    });
    await assert.rejects(run.outcome, isTheError);
    assert.equal(run.segments.length, 1);
    assert.deepEqual(await run.leftovers(), []);
  });

  test('from onProgress', async () => {
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: inChunks(sources.mp3),
      sourceSizeBytes: sources.mp3.byteLength,
      outputFormat: 'flac',
      onProgress() {
        throw error;
      },
    });
    await assert.rejects(run.outcome, isTheError);
  });

  test('as the reason of an abort, while the source has stalled', async () => {
    const aborting = new AbortController();
    let isClosed = false;
    async function* stalling(): AsyncGenerator<Uint8Array> {
      try {
        yield sources.mp3.subarray(0, 60_000);
        const aborted = once(aborting.signal, 'abort');
        setImmediate(() => aborting.abort(error));
        await aborted;
      } finally {
        isClosed = true;
      }
    }
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: stalling(),
      signal: aborting.signal,
    });
    await assert.rejects(run.outcome, isTheError);
    assert.deepEqual(await run.leftovers(), []);
    await until(() => isClosed);
  });

  test('as the reason of an abort before the start', async () => {
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: inChunks(sources.mp3),
      signal: AbortSignal.abort(error),
    });
    await assert.rejects(run.outcome, isTheError);
  });
});

describe('engine threads', () => {
  test('run several splits at once', async () => {
    const runs = await Promise.all(
      [sources.wav, sources.mp3, sources.wav].map((bytes) =>
        splitInScratch(threads.split, { ffmpegPath: samples.ffmpegPath, source: inChunks(bytes) }),
      ),
    );
    for (const run of runs) {
      await using _run = run;
      assert.equal((await run.outcome).segmentCount, 3);
    }
  });

  test('do not detach the memory of a chunk from its source', async () => {
    const chunk = new Uint8Array(sources.mp3);
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: inChunks(chunk, chunk.byteLength),
    });
    await run.outcome;
    assert.equal(Buffer.compare(chunk, sources.mp3), 0);
  });

  test('wait until the caller has finished with a segment', async () => {
    let inHand = 0;
    await using run = await splitInScratch(threads.split, {
      ffmpegPath: samples.ffmpegPath,
      source: inChunks(sources.wav),
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      async onSegment({ path, sizeBytes }) {
        inHand += 1;
        assert.equal(inHand, 1);
        assert.equal((await readFile(path)).byteLength, sizeBytes);
        inHand -= 1;
      },
    });
    assert.equal((await run.outcome).segmentCount, 5);
  });
});
