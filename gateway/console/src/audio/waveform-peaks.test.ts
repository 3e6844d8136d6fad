import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLevel, toPeaks } from './waveform-peaks.ts';

const drawn = (data: number[]) => ({
  version: 2 as const,
  channels: 1 as const,
  bits: 8 as const,
  sample_rate: 8_000,
  samples_per_pixel: 4_000,
  length: data.length / 2,
  data,
});

test('a waveform of the service has the height of its louder side, scaled to the loudest peak', () => {
  const { values, seconds } = toPeaks(drawn([-64, 10, -1, 32, 0, 0]));
  assert.deepEqual([...values], [255, 128, 0]);
  assert.equal(seconds, 1.5);
  assert.deepEqual([...toPeaks(drawn([0, 0])).values], [0]);
});

test('a level in words is its distance below the loudest peak', () => {
  const peaks = toPeaks(drawn([-64, 10, -1, 32, 0, 0]));
  assert.deepEqual(
    [0, 0.6, 1.2, 1.5].map((at) => describeLevel(peaks, at)),
    ['as loud as it gets', '6 dB below the loudest', 'silent', 'silent'],
  );
});
