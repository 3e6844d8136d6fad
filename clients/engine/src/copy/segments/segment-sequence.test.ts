import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { createCutRule } from '../../cuts/create-cut-rule.ts';
import { type Cut, MAX_SEGMENTS } from '../../cuts/cut.ts';
import type { FinishedSegment } from '../../media.ts';
import { failsWith } from '../../testing/fails-with.ts';
import { withScratchDir } from '../testing/ffmpeg.ts';
import { createSegmentSequence, type SegmentSequence } from './segment-sequence.ts';

const FORMAT = { extension: 'bin', contentType: 'application/octet-stream', sampleRateHz: 10 };
const BY_DURATION: Cut = { mode: 'duration', segmentDurationSeconds: 1 };

function createSequence(
  outputDir: string,
  onSegment: (segment: FinishedSegment) => Promise<void>,
  cut = BY_DURATION,
): SegmentSequence {
  return createSegmentSequence(
    { cut: createCutRule(cut), outputDir, signal: new AbortController().signal, onSegment },
    FORMAT,
  );
}

describe('segment sequence', () => {
  test('announces each file complete, in order, with running positions', async () => {
    await withScratchDir(async (dir) => {
      const announced: FinishedSegment[] = [];
      const contents: string[] = [];
      await using segments = createSequence(dir, async (segment) => {
        announced.push(segment);
        contents.push(await readFile(segment.path, 'latin1'));
      });
      for (const [text, sampleCount] of [['head-one', 7] as const, ['head-two!', 5] as const]) {
        const file = segments.open();
        const bytes = Buffer.from(text);
        file.append(bytes.subarray(0, 4));
        file.append(bytes.subarray(4));
        file.overwrite(0, Buffer.from('HEAD'));
        await segments.finish(sampleCount);
      }
      const result = await segments.result(99);
      assert.deepEqual(contents, ['HEAD-one', 'HEAD-two!']);
      assert.deepEqual(
        announced.map(({ index, startSample, sampleCount, sizeBytes }) => [
          index,
          startSample,
          sampleCount,
          sizeBytes,
        ]),
        [
          [0, 0, 7, 8],
          [1, 7, 5, 9],
        ],
      );
      assert.deepEqual(result, {
        segmentCount: 2,
        sourceSampleCount: 12,
        sourceSampleRateHz: 10,
        sourceSizeBytes: 99,
      });
    });
  });

  test('continues while a segment is being delivered, and closes none before that has ended', async () => {
    await withScratchDir(async (dir) => {
      const announced: number[] = [];
      const firstTaken = Promise.withResolvers<void>();
      const firstReached = Promise.withResolvers<void>();
      await using segments = createSequence(dir, async ({ index }) => {
        announced.push(index);
        firstReached.resolve();
        if (index === 0) await firstTaken.promise;
      });
      segments.open();
      await segments.finish(1);
      await firstReached.promise;
      const second = segments.open();
      second.append(Buffer.from('meanwhile'));
      const finishing = segments.finish(1);
      assert.deepEqual(announced, [0]);
      firstTaken.resolve();
      await finishing;
      assert.equal((await segments.result(0)).segmentCount, 2);
      assert.deepEqual(announced, [0, 1]);
    });
  });

  test('a failed delivery is reported at the end of the next segment, which is removed', async () => {
    await withScratchDir(async (dir) => {
      const failure = new Error('storage is full');
      {
        await using segments = createSequence(dir, async ({ path }) => {
          await rm(path);
          throw failure;
        });
        segments.open();
        await segments.finish(1);
        segments.open();
        await assert.rejects(segments.finish(1), failure);
        await assert.rejects(segments.result(0), failure);
      }
      assert.deepEqual(await readdir(dir), []);
    });
  });

  test('removes a file left open', async () => {
    await withScratchDir(async (dir) => {
      {
        await using segments = createSequence(dir, async () => undefined);
        segments.open().append(Buffer.from('unfinished'));
        assert.equal((await readdir(dir)).length, 1);
      }
      assert.deepEqual(await readdir(dir), []);
    });
  });

  test('never delivers a file above the limit', async () => {
    await withScratchDir(async (dir) => {
      const cut: Cut = { mode: 'fileSize', maxFileSizeBytes: 4 };
      await using segments = createSequence(dir, async () => assert.fail('handed out'), cut);
      segments.open().append(Buffer.alloc(5));
      await assert.rejects(segments.finish(1), failsWith('INTERNAL_ERROR'));
    });
  });

  test('opens no more files than a job may have segments', async () => {
    await withScratchDir(async (dir) => {
      await using segments = createSequence(dir, (segment) => rm(segment.path));
      for (let index = 0; index < MAX_SEGMENTS; index++) {
        segments.open();
        await segments.finish(1);
      }
      assert.throws(() => segments.open(), failsWith('TOO_MANY_SEGMENTS'));
    });
  });
});
