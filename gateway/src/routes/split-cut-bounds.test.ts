/** POST /splits accepts both ends of each bound of a cut, and rejects what is beyond them. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { queued } from './split-jobs.fixture.ts';

type ToCut = (value: unknown) => object;

const duration =
  (name: string): ToCut =>
  (value) => ({ splitMode: 'duration', segmentDuration: 86_400, [name]: value });
const silence =
  (name: string): ToCut =>
  (value) => ({ splitMode: 'silence', silence: { [name]: value } });
const snap =
  (name: string): ToCut =>
  (value) => ({ ...duration('snapToSilence')({ window: 60, [name]: value }) });
const encoding =
  (name: string, outputFormat?: string): ToCut =>
  (value) => ({ ...duration('encoding')({ [name]: value }), ...(outputFormat && { outputFormat }) });
const loudness: ToCut = (target) => duration('encoding')({ loudness: { target } });
const listOf = (count: number, itemAt: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => itemAt(n));
const chapters: ToCut = (count) => ({
  splitMode: 'chapters',
  chapters: listOf(Number(count), (startTime) => ({ startTime })),
});
const ranges: ToCut = (count) => ({
  splitMode: 'ranges',
  ranges: listOf(Number(count), (start) => ({ start })),
});
const points: ToCut = (count) => ({ splitMode: 'ranges', splitPoints: listOf(Number(count), (n) => n + 1) });
const titledChapter: ToCut = (length) => ({
  splitMode: 'chapters',
  chapters: [{ startTime: 0, title: 'é'.repeat(Number(length)) }],
});
const titledRange: ToCut = (length) => ({
  splitMode: 'ranges',
  ranges: [{ start: 0, title: 'é'.repeat(Number(length)) }],
});

type Bounds = readonly [
  path: string,
  toCut: ToCut,
  lowest: number,
  highest: number,
  beyond: readonly unknown[],
];

// Covers C-1.5 C-1.9 C-2.7 C-2.8 C-2.10 C-2.15 C-2.31 C-2.33 C-2.35 C-2.45 C-3.1 C-3.2 C-4.1 C-4.2 C-4.12 C-5.1
// Covers C-6.4 C-7.3 C-7.4 C-7.5 C-7.7 C-7.9 C-7.10 C-8.1
const BOUNDS: readonly Bounds[] = [
  [
    'splitPoints[0]',
    (point) => ({ splitMode: 'ranges', splitPoints: [point] }),
    0.001,
    1_000_000,
    [0, 1_000_000.001],
  ],
  [
    'ranges[0].start',
    (start) => ({ splitMode: 'ranges', ranges: [{ start }] }),
    0,
    1_000_000,
    [-1, 1_000_001],
  ],
  ['trim.start', (start) => duration('trim')({ start }), 0, 1_000_000, [-0.001, 1_000_001]],
  ['silence.minSilence', silence('minSilence'), 0.1, 60, [0.09, 60.1, '0:01']],
  ['silence.minDuration', silence('minDuration'), 0, 3_600, [-1, 3_600.1, '0:01']],
  ['silence.keepSilence', silence('keepSilence'), 0, 10, [-1, 10.1, '0:01']],
  ['silence.threshold', silence('threshold'), -90, -10, [-90.1, -9.9, 'low']],
  ['chapters', chapters, 1, 9_999, [0, 10_000]],
  ['chapters[0].title', titledChapter, 0, 500, [501]],
  ['ranges', ranges, 1, 1_000, [0, 1_001]],
  ['ranges[0].title', titledRange, 0, 500, [501]],
  ['splitPoints', points, 1, 9_999, [0, 10_000]],
  ['parts', (parts) => ({ splitMode: 'parts', parts }), 2, 1_000, [1, 1_001, 2.5]],
  ['maxDuration', duration('maxDuration'), 1, 86_400, [0.999, 86_400.1, '1:00']],
  ['maxFileSize', duration('maxFileSize'), 65_536, 2_147_483_648, [65_535]],
  ['snapToSilence.window', snap('window'), 0.1, 60, [0.09, 60.1, '0:10']],
  ['snapToSilence.minSilence', snap('minSilence'), 0.1, 60, [0.09, 60.1, '0:01']],
  ['snapToSilence.threshold', snap('threshold'), -90, -10, [-90.1, -9.9, 'low']],
  ['overlap', duration('overlap'), 0, 30, [-0.1, 30.1, '0:01']],
  ['audioTrack', duration('audioTrack'), 0, 2_147_483_647, [-1, 0.5, 'english']],
  ['encoding.sampleRate', encoding('sampleRate', 'mp3'), 8_000, 48_000, [7_350, 64_000]],
  ['encoding.sampleRate', encoding('sampleRate', 'aac'), 8_000, 96_000, [7_350, 192_000]],
  ['encoding.sampleRate', encoding('sampleRate', 'ogg'), 8_000, 192_000, [7_999, 192_001]],
  ['encoding.sampleRate', encoding('sampleRate', 'wav'), 1_000, 192_000, [999, 192_001]],
  ['encoding.sampleRate', encoding('sampleRate', 'flac'), 1_000, 192_000, [999, 192_001]],
  ['encoding.channels', encoding('channels'), 1, 2, [0, 3, 1.5]],
  ['encoding.bitrate', encoding('bitrate', 'aac'), 16_000, 512_000, [15_999, 512_001]],
  ['encoding.bitrate', encoding('bitrate', 'ogg'), 16_000, 500_000, [15_999, 500_001]],
  ['encoding.bitDepth', encoding('bitDepth', 'wav'), 16, 24, [8, 20, 32]],
  ['encoding.loudness.target', loudness, -31, -9, [-31.1, -8.9]],
  ['fileName', (length) => duration('fileName')('é'.repeat(Number(length))), 1, 500, [0, 501]],
];

describe('the bounds of a cut', () => {
  let apiKey: string;
  const gateway = forSuite(() =>
    startTestGateway({ services: { jobs: { createJob: () => ({ job: queued }) } } }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  const post = (cut: object) =>
    gateway.call('/api/v1/splits', {
      method: 'POST',
      apiKey,
      json: { sourceUrl: 'https://example.com/a.mp3', ...cut },
    });

  for (const [path, toCut, lowest, highest, beyond] of BOUNDS) {
    test(`${path}: ${lowest} to ${highest}`, async () => {
      for (const value of [lowest, highest]) {
        const response = await post(toCut(value));
        assert.equal(response.status, 201, `${value}: ${await response.text()}`);
      }
      for (const value of beyond) {
        const { details } = await expectError(await post(toCut(value)), 'INVALID_PARAMS');
        assert.deepEqual([...new Set(details.map(({ field }) => field))], [path], String(value));
      }
    });
  }
});
