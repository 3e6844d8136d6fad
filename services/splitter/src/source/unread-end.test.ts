/** Sources whose frames can only be found by walking: they are fetched up to the end of the cut. */
import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { withScratchDir } from '@audiosplit/engine/copy/testing/ffmpeg';
import { type AudioSamples, createAudioSamples } from '@audiosplit/engine/testing/audio-samples';
import type { CutRequest } from '@audiosplit/proto/cut';
import { type EngineThreads, startEngineThreads } from '../engine-thread/engine-threads.ts';
import { startRangeServer } from './range-server.fixture.ts';
import { createAdts, createMp3, SOME_REQUESTS, splitFrom, TEN_SECONDS } from './ranged-split.fixture.ts';

const GIB = 2 ** 30;
const VARYING = ['-q:a', '0'];

const WITHOUT_LENGTH = {
  ADTS: createAdts,
  'mp3 of varying bitrate without an info frame': (path: string) => createMp3(path, VARYING, false),
};

let samples: AudioSamples;
let threads: EngineThreads;
before(async () => {
  samples = await createAudioSamples();
  threads = await startEngineThreads({ log: silentLogger() });
});
after(async () => {
  await threads?.[Symbol.asyncDispose]();
  await samples?.[Symbol.asyncDispose]();
});

function split(url: string, request: CutRequest, ranges = true) {
  return splitFrom(url, request, { ffmpegPath: samples.ffmpegPath, ranges, split: threads.split });
}

/** Zeros follow the source; they must not be requested. */
async function lengthen(path: string): Promise<void> {
  const bytes = await readFile(path);
  const infoAt = bytes.subarray(0, 2_000).indexOf('Xing');
  if (infoAt > 0) {
    bytes.writeUInt32BE(5_000_000, infoAt + 8);
    bytes.writeUInt32BE(2 * GIB, infoAt + 12);
  }
  await writeFile(path, bytes);
  await truncate(path, 2 * GIB);
}

for (const [name, create] of Object.entries({
  ...WITHOUT_LENGTH,
  'mp3 of varying bitrate': (path: string) => createMp3(path, VARYING),
})) {
  test(`${name} of 2 GiB: ten seconds near its beginning fetch less than 2 % of it`, async () => {
    await withScratchDir(async (dir) => {
      const path = join(dir, 'source');
      await create(path);
      await using short = await startRangeServer(path);
      const { files } = await split(short.url, TEN_SECONDS, false);
      await lengthen(path);
      await using server = await startRangeServer(path);
      const inParts = await split(server.url, TEN_SECONDS);
      await server.untilNoConnections();
      assert.ok(server.sentBytes() <= 0.02 * 2 * GIB, `${server.sentBytes()} bytes were sent`);
      assert.equal(inParts.result.sourceSizeBytes, 2 * GIB);
      assert.deepEqual(inParts.files, files);
    });
  });
}

test('an mp3 of varying bitrate with its length: a partial fetch gives the same segments as the whole', async () => {
  await withScratchDir(async (dir) => {
    const path = join(dir, 'source');
    await createMp3(path, VARYING);
    for (const request of SOME_REQUESTS) {
      await using server = await startRangeServer(path);
      const inParts = await split(server.url, request);
      assert.ok(server.askedBytes() < 0.4 * inParts.result.sourceSizeBytes, `${server.askedBytes()}`);
      assert.deepEqual(inParts, await split(server.url, request, false));
    }
  });
});

for (const [name, create] of Object.entries(WITHOUT_LENGTH)) {
  test(`${name}: nothing after the last segment is fetched, and the length is an estimate`, async () => {
    await withScratchDir(async (dir) => {
      const path = join(dir, 'source');
      await create(path);
      for (const request of SOME_REQUESTS) {
        await using server = await startRangeServer(path);
        const { result, ...inParts } = await split(server.url, request);
        assert.ok(server.askedBytes() < 0.4 * result.sourceSizeBytes, `${server.askedBytes()}`);
        const { result: expected, ...whole } = await split(server.url, request, false);
        assert.deepEqual(inParts, whole);
        assert.equal(result.isSourceLengthEstimate, true);
        assert.equal(expected.isSourceLengthEstimate, undefined);
        const off = result.sourceSampleCount / expected.sourceSampleCount - 1;
        assert.ok(Math.abs(off) < 0.05, `${off}`);
      }
    });
  });

  test(`${name}: a request up to the end gives the same result as the whole, with the exact length`, async () => {
    await withScratchDir(async (dir) => {
      const path = join(dir, 'source');
      await create(path);
      await using server = await startRangeServer(path);
      const requests: readonly CutRequest[] = [
        {
          splitMode: 'ranges',
          ranges: [
            { start: 2, end: 4 },
            { start: 880, end: 10_000 },
          ],
        },
        { splitMode: 'ranges', ranges: [{ start: 880 }] },
        { splitMode: 'parts', parts: 3, trim: { start: 870, end: 899 } },
      ];
      for (const request of requests)
        assert.deepEqual(await split(server.url, request), await split(server.url, request, false));
      await assert.rejects(
        split(server.url, { splitMode: 'ranges', ranges: [{ start: 5_000, end: 5_010 }] }),
        { failure: 'RANGE_OUTSIDE_SOURCE' },
      );
    });
  });
}
