/** Sources and options whose silences are as many or as long as they can be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { little, riffFile } from '../chapters/testing/tag-tables.ts';
import { MAX_SEGMENTS } from '../cuts/cut.ts';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import type { SplitOptions } from '../media.ts';
import { failsWith } from '../testing/fails-with.ts';
import { splitByRequest, timesOf } from './planned.fixture.ts';

/** Low, so that hours are few bytes. */
const RATE_HZ = 1_000;
const SILENT_BYTE = 0x80;
const SETTINGS = { ffmpegPath: await resolveFfmpegPath(process.env.FFMPEG_PATH) };

/** Mono, 8 bits. */
function wave(samples: Buffer): Buffer {
  const rates = [little(4, RATE_HZ), little(4, RATE_HZ)];
  const format = Buffer.concat([little(2, 1), little(2, 1), ...rates, little(2, 1), little(2, 8)]);
  return riffFile([
    ['fmt ', format],
    ['data', samples],
  ]);
}

describe('silences that make a cut almost every 100 ms', () => {
  const sound = Buffer.alloc(0.02 * RATE_HZ, Buffer.of(SILENT_BYTE + 100, SILENT_BYTE - 100));
  const beat = Buffer.concat([Buffer.alloc(0.1 * RATE_HZ, SILENT_BYTE), sound]);
  const silence = { threshold: -20, minSilence: 0.1, minDuration: 0 };
  /** The silence at the beginning makes no cut, and the rest after the last one is too short for a segment. */
  const piecesOf = (count: number) => wave(Buffer.alloc((count + 1) * beat.length, beat));

  test('so many of them fail before anything is encoded or copied', async () => {
    const source = piecesOf(MAX_SEGMENTS + 1);
    const unexpected: Partial<SplitOptions> = {
      reserve: () => assert.fail('minutes were reserved'),
      onPlan: () => assert.fail('a plan was made'),
      onSegment: () => assert.fail('a segment was made'),
    };
    const outputs = [{}, { outputFormat: 'mp3' }, { outputFormat: 'flac' }] as const;
    const requests: readonly CutRequest[] = [
      { splitMode: 'silence', silence },
      { splitMode: 'silence', silence: { ...silence, keepSilence: 0.01 } },
      { splitMode: 'silence', silence, maxFileSize: 65_536 },
      { splitMode: 'silence', silence, maxDuration: 60, snapToSilence: { window: 60 }, dryRun: true },
    ];
    for (const output of outputs)
      for (const request of requests) {
        const outcome = splitByRequest(source, request, { ...SETTINGS, ...output, ...unexpected });
        await assert.rejects(outcome, failsWith('TOO_MANY_SEGMENTS'), JSON.stringify(request));
      }
  });

  test('as many as are allowed become segments', async () => {
    const request: CutRequest = { splitMode: 'silence', silence, dryRun: true };
    await using done = await splitByRequest(piecesOf(MAX_SEGMENTS), request, SETTINGS);
    assert.equal(done.segments.length, MAX_SEGMENTS);
  });
});

describe('ten hours of silence', () => {
  const HOURS = 10;
  const source = wave(Buffer.alloc(HOURS * 3_600 * RATE_HZ, SILENT_BYTE));
  const ends = async (request: CutRequest) => {
    await using done = await splitByRequest(source, request, SETTINGS);
    return timesOf(done.segments).map(([, end], index) => [end, done.segments[index]?.endKind]);
  };

  // Covers C-2.14 C-4.19
  test('are one segment, or none if silence is dropped', async () => {
    assert.deepEqual(await ends({ splitMode: 'silence' }), [[36_000, 'end']]);
    const dropped = { splitMode: 'silence', silence: { keepSilence: 1 } } as const;
    await assert.rejects(ends(dropped), failsWith('NO_SOUND'));
  });

  // Covers C-4.16
  test('are divided under a cap, where nothing is to be snapped to', async () => {
    const capped = { splitMode: 'silence', maxDuration: 3_600, snapToSilence: { window: 60 } } as const;
    const hours = Array.from({ length: HOURS }, (_, index) => 3_600 * (index + 1));
    assert.deepEqual(
      await ends(capped),
      hours.map((end, index) => [end, index === HOURS - 1 ? 'end' : 'exact']),
    );
  });
});
