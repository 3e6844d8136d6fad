import assert from 'node:assert/strict';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { asMovie, readMovie } from '@audiosplit/engine/copy/testing/aac-movie';
import { createSource, runFfmpeg, withScratchDir } from '@audiosplit/engine/copy/testing/ffmpeg';
import { createAudioSamples } from '@audiosplit/engine/testing/audio-samples';
import type { CutRequest } from '@audiosplit/proto/cut';
import { type EngineThreads, startEngineThreads } from '../engine-thread/engine-threads.ts';
import { splitInScratch } from '../engine-thread/testing/scratch-split.ts';
import { createEgress, failsWith, OPTIONS } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';
import { startRangeServer } from './range-server.fixture.ts';
import { createMp3, SOME_REQUESTS, splitFrom as splitRanged, TEN_SECONDS } from './ranged-split.fixture.ts';

const RATE_HZ = 48_000;
const BLOCK_BYTES = 4;
/** Twelve seconds. */
const SOUND = Buffer.alloc(12 * RATE_HZ * BLOCK_BYTES).map((_, at) => (at * 7) % 251);

const samples = forSuite(createAudioSamples);
const threads = forSuite(() => startEngineThreads({ log: silentLogger() }));

/** A sparse file after a header, with audio only around second 60. */
async function createSparseWave(path: string, dataBytes: number): Promise<void> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(RATE_HZ, 24);
  header.writeUInt32LE(RATE_HZ * BLOCK_BYTES, 28);
  header.writeUInt16LE(BLOCK_BYTES, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  await using file = await open(path, 'w');
  await file.truncate(44 + dataBytes);
  await file.write(header, 0, 44, 0);
  await file.write(SOUND, 0, SOUND.length, 44 + 59 * RATE_HZ * BLOCK_BYTES);
}

/** Twenty minutes of AAC: the same ten seconds repeated. */
async function createMovie(isIndexLast: boolean): Promise<Buffer> {
  const ten = await createSource({
    seconds: 10,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: ['-c:a', 'aac', '-b:a', '192k', '-aac_coder', 'fast'],
    extension: 'm4a',
  });
  const { track, frames } = readMovie(ten);
  const movie = asMovie({ track, frames: Array.from({ length: 120 }, () => frames).flat() }, '1210');
  if (!isIndexLast) return movie;
  const indexStart = movie.readUInt32BE(0);
  const index = Buffer.from(movie.subarray(indexStart, indexStart + movie.readUInt32BE(indexStart)));
  movie.write('free', indexStart + 4, 'latin1');
  return Buffer.concat([movie, index]);
}

/** Some 19 MB. */
async function createFlac(path: string): Promise<void> {
  const noise = 'anoisesrc=r=44100:d=240:a=0.5:seed=7';
  await runFfmpeg(['-f', 'lavfi', '-i', noise, '-c:a', 'flac', '-sample_fmt', 's16', '-f', 'flac', path]);
}

/** Some 18 MB. */
async function createOgg(path: string, encoder: readonly string[]): Promise<void> {
  const noise = 'anoisesrc=r=48000:d=330:a=0.5:seed=7';
  await runFfmpeg(['-f', 'lavfi', '-i', noise, '-ac', '2', ...encoder, '-f', 'ogg', path]);
}

async function createWave(path: string): Promise<void> {
  await createSparseWave(path, 120 * 2 ** 20);
}

async function createM4a(path: string, isIndexLast: boolean): Promise<void> {
  await writeFile(path, await createMovie(isIndexLast));
}

function splitFrom(
  url: string,
  request: CutRequest,
  options: { readonly ranges?: boolean; readonly split?: EngineThreads['split'] } = {},
) {
  return splitRanged(url, request, { ffmpegPath: samples.ffmpegPath, ...options });
}

test('ten seconds of a wav of 2 GiB by URL fetch less than 2 % of it', { timeout: 60_000 }, async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'long.wav');
    const dataBytes = 2 ** 31 - 44;
    await createSparseWave(path, dataBytes);
    await using server = await startRangeServer(path);
    const { files, result } = await splitFrom(server.url, TEN_SECONDS, { split: threads.split });
    await server.untilNoConnections();
    assert.ok(server.sentBytes() <= 0.02 * 2 ** 31, `${server.sentBytes()} bytes were sent`);
    assert.equal(result.sourceSizeBytes, 2 ** 31);
    assert.equal(result.sourceSampleCount, dataBytes / BLOCK_BYTES);
    assert.equal(result.meteredSampleCount, 10 * RATE_HZ);
    const soundBytes = 10 * RATE_HZ * BLOCK_BYTES;
    await using file = await open(path);
    const expected = Buffer.alloc(soundBytes);
    await file.read(expected, 0, soundBytes, 44 + 60 * RATE_HZ * BLOCK_BYTES);
    assert.equal(files.length, 1);
    assert.ok(files[0]?.subarray(-soundBytes).equals(expected));
  });
});

for (const [name, create] of Object.entries({
  wav: createWave,
  'm4a whose index comes first': (path: string) => createM4a(path, false),
  'm4a whose index comes last': (path: string) => createM4a(path, true),
  flac: createFlac,
  opus: (path: string) => createOgg(path, ['-c:a', 'libopus', '-b:a', '510k', '-compression_level', '0']),
  vorbis: (path: string) => createOgg(path, ['-c:a', 'libvorbis', '-q:a', '10']),
  'mp3 of constant bitrate': (path: string) => createMp3(path, ['-b:a', '320k']),
  'mp3 of constant bitrate without an info frame': (path: string) => createMp3(path, ['-b:a', '320k'], false),
})) {
  test(`${name}: fetching in parts gives the same segments as fetching the whole`, async () => {
    await withScratchDir(async (dir) => {
      const path = join(dir, 'source');
      await create(path);
      for (const request of SOME_REQUESTS) {
        await using server = await startRangeServer(path);
        const inParts = await splitFrom(server.url, request);
        await server.untilNoConnections();
        assert.ok(server.ranges.length > 0);
        assert.ok(server.sentBytes() < 0.35 * inParts.result.sourceSizeBytes, `${server.sentBytes()}`);
        assert.deepEqual(inParts, await splitFrom(server.url, request, { ranges: false }));
      }
    });
  });
}

test('a flac that is damaged at a cut is encoded, as when it is fetched whole', async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'source');
    await createFlac(path);
    const bytes = await readFile(path);
    const second65 = Math.floor((65 / 240) * bytes.length);
    await writeFile(path, bytes.fill(0, second65, second65 + 40_000));
    await using server = await startRangeServer(path);
    const inParts = await splitFrom(server.url, TEN_SECONDS);
    assert.ok(server.ranges.length > 0);
    assert.deepEqual(inParts, await splitFrom(server.url, TEN_SECONDS, { ranges: false }));
  });
});

test('a request for most of a source fetches it in few ranges', async () => {
  await withWave(async (path) => {
    await using server = await startRangeServer(path);
    await splitFrom(server.url, { splitMode: 'ranges', ranges: [{ start: 10 }] });
    assert.ok(server.ranges.length <= 4, server.ranges.join());
    const rest = server.ranges.at(-1) ?? '';
    assert.match(rest, new RegExp(`-${WAVE_BYTES - 1}$`));
  });
});

test('only the whole source is requested from a server without ranges or without a strong validator', async () => {
  for (const headers of [{ 'accept-ranges': 'none' }, { etag: 'W/"weak"' }]) {
    await withWave(async (path) => {
      await using server = await startRangeServer(path, { headers });
      assert.equal((await splitFrom(server.url, TEN_SECONDS)).files.length, 1);
      assert.deepEqual(server.ranges, []);
    });
  }
});

test('a server that answers Range with the same whole source is accepted', async () => {
  await withWave(async (path) => {
    await using server = await startRangeServer(path, { isWhole: () => true });
    const inParts = await splitFrom(server.url, TEN_SECONDS);
    assert.equal(server.ranges.length, 1);
    assert.deepEqual(inParts, await splitFrom(server.url, TEN_SECONDS, { ranges: false }));
  });
});

test('a connection that breaks is resumed where it ended, a limited number of times', async () => {
  await withWave(async (path) => {
    await using once = await startRangeServer(path, { isCutShort: (range) => range === 2 });
    const inParts = await splitFrom(once.url, TEN_SECONDS);
    assert.deepEqual(inParts, await splitFrom(once.url, TEN_SECONDS, { ranges: false }));
    await using ever = await startRangeServer(path, { isCutShort: () => true });
    await assert.rejects(
      splitFrom(ever.url, TEN_SECONDS),
      failsWith('SOURCE_UNREACHABLE', true, /kept breaking/),
    );
    assert.ok(ever.ranges.length <= 5);
  });
});

// Retryable: the next attempt fetches the whole source.
for (const [what, headers] of [
  ['another etag', { etag: '"two"' }],
  ['another size', { 'content-range': 'bytes 0-65535/65536' }],
  ['another part', { 'content-range': `bytes 1-65536/${44 + 32 * 2 ** 20}` }],
  ['no Content-Range', { 'content-range': '' }],
] as const) {
  test(`a part of ${what} fails the attempt`, async () => {
    await withWave(async (path) => {
      await using server = await startRangeServer(path, {
        rangeHeaders: (range) => (range > 1 ? headers : {}),
      });
      await assert.rejects(
        splitFrom(server.url, TEN_SECONDS, { split: threads.split }),
        failsWith('SOURCE_UNREACHABLE', true, /changed while it was being read/),
      );
      await server.untilNoConnections();
    });
  });
}

test('a server that rejects requests for parts fails the attempt, with any status', async () => {
  await withWave(async (path) => {
    for (const rangeStatus of [403, 404, 503]) {
      await using server = await startRangeServer(path, { rangeStatus });
      await assert.rejects(
        splitFrom(server.url, TEN_SECONDS),
        failsWith('SOURCE_UNREACHABLE', true, new RegExp(`a part of it with status ${rangeStatus}`)),
      );
    }
  });
});

test('an abort ends the wait for a part', async () => {
  await withWave(async (path) => {
    await using server = await startRangeServer(path, { isSilent: (range) => range === 2 });
    await using egress = createEgress();
    await using source = await openSource(egress, server.url, { ...OPTIONS, maxBytes: 2 ** 30 });
    const aborting = new AbortController();
    assert.ok(source.ranges);
    const { sizeBytes, writeTo } = source.ranges;
    await using run = await splitInScratch(threads.split, {
      source: source.body,
      sourceRanges: {
        sizeBytes,
        async writeTo(target, span, signal) {
          if (server.ranges.length === 1) setImmediate(() => aborting.abort(new Error('cancelled')));
          return await writeTo(target, span, signal);
        },
      },
      cut: { mode: 'planned', request: TEN_SECONDS },
      ffmpegPath: samples.ffmpegPath,
      signal: aborting.signal,
    });
    await assert.rejects(run.outcome, /cancelled/);
    assert.deepEqual(await run.leftovers(), []);
    await server.untilNoConnections();
  });
});

const WAVE_BYTES = 44 + 32 * 2 ** 20;

function withWave(use: (path: string) => Promise<void>): Promise<void> {
  return withScratchDir(async (dir) => {
    const path = join(dir, 'source.wav');
    await createSparseWave(path, WAVE_BYTES - 44);
    await use(path);
  });
}
