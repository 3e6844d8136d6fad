import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import fc from 'fast-check';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { createLevelMeter, endOfLevels, FLOOR_DBFS, type Levels, levelsWithin } from './levels.ts';
import { createLevelSource } from './read-levels.ts';
import { autoThreshold, findSilences, type Silence } from './silence.ts';
import { createProbing, detectSilences } from './testing/level-files.ts';

const TOUR = fileURLToPath(new URL('../../../../deploy/embedded/samples/tour.mp3', import.meta.url));

const samples = forSuite(createAudioSamples);
const probing = forSuite(() => createProbing(samples.ffmpegPath), samples);

async function levelsOf(path: string): Promise<Levels> {
  return await createLevelSource(await probing.probe(path)).levels(0, 1_000);
}

function levelsFrom(values: readonly number[]): Levels {
  return { startSeconds: 0, stepSeconds: 0.01, values: Float32Array.from(values) };
}

function assertSame(found: readonly Silence[], expected: readonly Silence[], what: string): void {
  const near = (one: number, other: number | undefined): boolean =>
    other !== undefined && Math.abs(one - other) <= 0.02;
  const isSame = ({ startSeconds, endSeconds }: Silence, index: number): boolean =>
    near(startSeconds, expected[index]?.startSeconds) && near(endSeconds, expected[index]?.endSeconds);
  assert.ok(
    found.length === expected.length && found.every(isSame),
    `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
  );
}

/** silencedetect counts from the first sample to the last, and omits a silence that ends the audio. */
function inner(silences: readonly Silence[], levels: Levels): readonly Silence[] {
  return silences.filter(({ endSeconds }) => endSeconds < endOfLevels(levels) - 0.03);
}

test('silences of synthetic sound begin and end where silencedetect finds them', async () => {
  const noise = '0.2*random(0)*gt(mod(t*(1+t/40)\\,1.7)\\,0.63)';
  for (const [name, rate, ...args] of [
    ['a.wav', 44_100],
    ['b.flac', 48_000],
    ['c.wav', 11_025],
    ['d.mp3', 44_100, '-b:a', '128k'],
  ] as const) {
    const path = await samples.make(
      name,
      `aevalsrc=${noise}+0.0004*sin(2*PI*700*t)|0:s=${rate}:d=20`,
      ...args,
    );
    const levels = await levelsOf(path);
    for (const threshold of [-35, -50]) {
      const expected = await detectSilences(path, threshold, 0.2);
      assert.ok(expected.length > 5, `${name} at ${threshold}`);
      const found = findSilences(levels, threshold, 0.2);
      assertSame(inner(found, levels), inner(expected, levels), `${name} at ${threshold}`);
    }
  }
});

test('silences in the tour are where silencedetect finds them', async () => {
  const music = await levelsOf(TOUR);
  assert.deepEqual(findSilences(music, -40, 0.1), []);
  assert.deepEqual(await detectSilences(TOUR, -40, 0.1), []);
  assert.equal(autoThreshold(music.values), -30, 'it is never that quiet');
  const pauses =
    'between(t\\,3.017\\,3.9)+between(t\\,11\\,11.5)+between(t\\,30.2\\,33.333)+between(t\\,40\\,40.15)';
  const muted = await samples.make(
    'tour.flac',
    `amovie=${TOUR},aeval=exprs=val(0)*if(${pauses}\\,0.0005\\,1)`,
  );
  const levels = await levelsOf(muted);
  for (const [threshold, count] of [
    [-50, 3],
    [-40, 3],
  ] as const) {
    const expected = await detectSilences(muted, threshold, 0.3);
    assert.equal(expected.length, count);
    assertSame(findSilences(levels, threshold, 0.3), expected, `at ${threshold}`);
  }
  assert.equal(findSilences(levels, -50, 0.1).length, 4);
});

test('a silence at either end lasts to that end, and a source of silence counts with any length', () => {
  const silent = Array.from({ length: 50 }, () => FLOOR_DBFS);
  const loud = Array.from({ length: 50 }, () => -20);
  const both = levelsFrom([...silent, ...loud, ...silent]);
  const [first, last, ...others] = findSilences(both, -60, 0.4);
  assert.deepEqual(others, []);
  assert.equal(first?.startSeconds, 0);
  assert.ok(Math.abs((first?.endSeconds ?? 0) - 0.515) < 1e-6);
  assert.ok(Math.abs((last?.startSeconds ?? 0) - 0.995) < 1e-6);
  assert.equal(last?.endSeconds, endOfLevels(both));
  const all = levelsFrom(silent);
  assert.deepEqual(findSilences(all, -60, 5), [{ startSeconds: 0, endSeconds: endOfLevels(all) }]);
  assert.deepEqual(findSilences(levelsFrom([]), -60, 0.1), []);
});

test('silences are in order, separate, long enough, and below the threshold', () => {
  const values = fc.array(fc.constantFrom(-80, -80, -80, -80, -20), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(values, fc.integer({ min: 10, max: 60 }), (each, minSteps) => {
      const levels = levelsFrom(each);
      const silences = findSilences(levels, -50, minSteps / 100);
      let end = Number.NEGATIVE_INFINITY;
      for (const silence of silences) {
        assert.ok(silence.startSeconds > end);
        end = silence.endSeconds;
        const isAll = silence.startSeconds === 0 && end === endOfLevels(levels);
        assert.ok(isAll || end - silence.startSeconds >= minSteps / 100 - 0.011);
        const inside = levelsWithin(levels, silence.startSeconds, end);
        assert.ok(inside.values.length > 0 && inside.values.every((value) => value < -50));
      }
    }),
  );
});

// Covers C-4.14
test('the automatic threshold is 6 dB above the quiet tenth, between -60 and -30', () => {
  const values = (quiet: number): Float32Array =>
    Float32Array.from({ length: 1_000 }, (_, index) => (index < 150 ? quiet : -15));
  assert.equal(autoThreshold(values(-50)), -44);
  assert.equal(autoThreshold(values(FLOOR_DBFS)), -60);
  assert.equal(autoThreshold(values(-20)), -30);
  assert.equal(autoThreshold(new Float32Array(0)), -60);
});

test('ten hours of silence take little time', () => {
  const values = new Float32Array(10 * 3_600 * 100).fill(FLOOR_DBFS);
  const levels = { startSeconds: 0, stepSeconds: 0.01, values };
  const begun = process.cpuUsage();
  assert.equal(autoThreshold(values), -60);
  assert.equal(findSilences(levels, -60, 0.5).length, 1);
  const { user, system } = process.cpuUsage(begun);
  assert.ok(user + system < 3_000_000, `${user + system} µs`);
});

const FORMATS = ['u8', 's16le', 's24le', 's32le', 'f32le', 'f64le'] as const;

// Covers C-4.13
test('a level is the RMS of the loudest channel, in every sample format, for any chunks', () => {
  const rates = fc.constantFrom(8_000, 11_025, 22_050, 44_100, 48_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...FORMATS),
      rates,
      fc.integer({ min: 1, max: 997 }),
      (format, rate, chunkBytes) => {
        const frames = Math.round(rate * 0.2);
        const bytes = Buffer.concat(
          Array.from({ length: frames }, (_, n) =>
            Buffer.concat([sampleBytes(0.1, format), sampleBytes(n % 2 ? 0.5 : -0.5, format)]),
          ),
        );
        const meter = createLevelMeter({ format, sampleRateHz: rate, channelCount: 2 }, 7);
        for (let at = 0; at < bytes.length; at += chunkBytes) meter.push(bytes.subarray(at, at + chunkBytes));
        const levels = meter.finish();
        assert.equal(levels.startSeconds, 7);
        assert.ok(levels.values.length === 19, `${levels.values.length} values`);
        assert.ok(levels.values.every((value) => Math.abs(value - 20 * Math.log10(0.5)) < 0.1));
      },
    ),
  );
});

function sampleBytes(value: number, format: (typeof FORMATS)[number]): Buffer {
  const bytes = Buffer.alloc(8);
  switch (format) {
    case 'u8':
      return bytes.subarray(0, bytes.writeUInt8(128 + Math.round(value * 127), 0));
    case 's16le':
      return bytes.subarray(0, bytes.writeInt16LE(Math.round(value * 32_767), 0));
    case 's24le':
      return bytes.subarray(0, bytes.writeIntLE(Math.round(value * 8_388_607), 0, 3));
    case 's32le':
      return bytes.subarray(0, bytes.writeInt32LE(Math.round(value * 2_147_483_647), 0));
    case 'f32le':
      return bytes.subarray(0, bytes.writeFloatLE(value, 0));
    case 'f64le':
      return bytes.subarray(0, bytes.writeDoubleLE(value, 0));
    default:
      return format satisfies never;
  }
}
