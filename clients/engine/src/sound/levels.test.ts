import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PCM_FORMATS, type PcmFormat } from '../formats/formats.ts';
import { createLevelMeter } from './levels.ts';

const RATE_HZ = 8_000;
const FRAMES = RATE_HZ / 2;

/** Half of full scale on the left, an eighth on the right, alternating above and below 0. */
function squareWave(format: PcmFormat): Buffer {
  const levels = Array.from({ length: FRAMES }, (_, n) =>
    n % 2 === 0 ? [0.5, 0.125] : [-0.5, -0.125],
  ).flat();
  const bytes = levels.map((level) => {
    const one = Buffer.alloc(8);
    if (format === 'u8') return one.subarray(0, one.writeUInt8(128 + level * 128));
    if (format === 's16le') return one.subarray(0, one.writeInt16LE(level * 2 ** 15));
    if (format === 's24le') return one.subarray(0, one.writeIntLE(level * 2 ** 23, 0, 3));
    if (format === 's32le') return one.subarray(0, one.writeInt32LE(level * 2 ** 31));
    if (format === 'f32le') return one.subarray(0, one.writeFloatLE(level));
    return one.subarray(0, one.writeDoubleLE(level));
  });
  return Buffer.concat(bytes);
}

for (const format of PCM_FORMATS) {
  // Covers C-4.13
  test(`${format}: the RMS of the loudest channel, for any chunks`, () => {
    const sound = squareWave(format);
    const meter = createLevelMeter({ format, sampleRateHz: RATE_HZ, channelCount: 2 });
    for (let at = 0; at < sound.length; at += 1_001) meter.push(sound.subarray(at, at + 1_001));
    const { values } = meter.finish();
    assert.equal(values.length, 49);
    for (const value of values) assert.ok(Math.abs(value - 20 * Math.log10(0.5)) < 1e-4, `${value} dBFS`);
  });
}

test('two channels have exactly the levels of the louder one', () => {
  const anySample = fc.oneof(fc.float(), fc.float({ min: -1, max: 1, noNaN: true }));
  const sounds = fc.array(fc.tuple(anySample, anySample), { minLength: 1, maxLength: 900 });
  fc.assert(
    fc.property(sounds, fc.constantFrom('f32le', 's16le'), (frames, format) => {
      const levelsOf = (channels: readonly (readonly number[])[]) => {
        const channelCount = channels[0]?.length ?? 0;
        const meter = createLevelMeter({ format, sampleRateHz: RATE_HZ, channelCount });
        const values = channels.flat();
        const samples =
          format === 'f32le'
            ? Float32Array.from(values)
            : Int16Array.from(values, (value) => 32_767 * Math.max(-1, Math.min(1, value || 0)));
        meter.push(new Uint8Array(samples.buffer));
        return meter.finish().values;
      };
      const left = levelsOf(frames.map(([one]) => [one]));
      const right = levelsOf(frames.map(([, other]) => [other]));
      const louder = left.map((level, index) => Math.max(level, right[index] ?? 0));
      assert.deepEqual(levelsOf(frames), louder);
    }),
  );
});

test('NaN counts as silence', () => {
  const sound = squareWave('f32le');
  sound.writeFloatLE(Number.NaN, 0);
  sound.writeFloatLE(Number.POSITIVE_INFINITY, 8);
  const meter = createLevelMeter({ format: 'f32le', sampleRateHz: RATE_HZ, channelCount: 2 });
  meter.push(sound);
  const [first = 0, second = 0] = meter.finish().values;
  assert.ok(first < second && first > second - 1, `${first} and ${second} dBFS`);
});
