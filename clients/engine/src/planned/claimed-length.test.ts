/** Sources whose claimed length differs from the real one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { failsWith } from '../testing/fails-with.ts';
import { createPlannedSamples, SECONDS, splitByRequest, timesOf } from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(['mp3', 'wav', 'opus']));

/** The same mp3 with another frame count in its info frame. */
function withFrameCount(share: number): Buffer {
  const source = Buffer.from(fixture.sourceOf('mp3'));
  const at = Math.max(source.indexOf('Xing'), source.indexOf('Info')) + 8;
  source.writeUInt32BE(Math.round(source.readUInt32BE(at) * share), at);
  return source;
}

async function times(source: Buffer, request: CutRequest): Promise<number[][]> {
  await using done = await splitByRequest(source, request, { ffmpegPath: fixture.samples.ffmpegPath });
  assert.equal(done.result.segmentCount, done.segments.length, 'each is handed out once');
  return timesOf(done.segments);
}

describe('a claimed length', () => {
  for (const share of [0.5, 2, 1000]) {
    test(`${share} times the actual length: the plan uses the actual length`, async () => {
      const source = withFrameCount(share);
      const parts = await times(source, { splitMode: 'parts', parts: 3 });
      const end = parts.at(-1)?.at(-1) ?? 0;
      // A wrong count proves nothing about the padding, which is up to a frame and a half.
      assert.ok(end >= SECONDS && end < SECONDS + 0.05, `${end} s`);
      for (const [index, [from = 0, to = 0]] of parts.entries()) {
        assert.ok(Math.abs(from - (index * end) / 3) < 0.002, `${from}`);
        assert.ok(Math.abs(to - ((index + 1) * end) / 3) < 0.002, `${to}`);
      }
      assert.deepEqual(await times(source, { splitMode: 'parts', parts: 3, dryRun: true }), parts);
    });
  }

  test('less than the start of an existing range: the range is written', async () => {
    const request: CutRequest = { splitMode: 'ranges', ranges: [{ start: 20, end: 23 }] };
    assert.deepEqual(await times(withFrameCount(0.5), request), [[20, 23]]);
  });

  test('more than the actual length: a range beyond the actual end is rejected', async () => {
    const request: CutRequest = { splitMode: 'ranges', ranges: [{ start: 0, end: 2 }, { start: 30 }] };
    await assert.rejects(times(withFrameCount(2), request), failsWith('RANGE_OUTSIDE_SOURCE'));
  });

  test('when encoding: a wrong length needs a second plan, a correct one does not', async () => {
    for (const [source, name] of [
      [fixture.sourceOf('mp3'), 'mp3'],
      [fixture.sourceOf('wav'), 'wav'],
      [withFrameCount(0.5), 'mp3 that claims half'],
    ] as const) {
      const parts = await times(source, { splitMode: 'parts', parts: 3, preset: 'speech' });
      const end = parts.at(-1)?.at(-1) ?? 0;
      assert.equal(parts.length, 3, name);
      assert.ok(Math.abs(end - SECONDS) < 0.06, `${name}: ${end} s`);
    }
  });

  test('a truncated wav or Opus: the rest is split', async () => {
    for (const name of ['wav', 'opus']) {
      const whole = fixture.sourceOf(name);
      const parts = await times(whole.subarray(0, Math.floor(whole.length * 0.6)), {
        splitMode: 'parts',
        parts: 2,
      });
      const [[, middle = 0] = [], [, end = 0] = []] = parts;
      assert.ok(end > 0.5 * SECONDS && end < 0.7 * SECONDS, `${name}: ${end} s`);
      assert.ok(Math.abs(middle - end / 2) < 0.002, `${name}: ${middle} of ${end} s`);
    }
  });
});
