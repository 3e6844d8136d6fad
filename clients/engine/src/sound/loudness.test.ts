import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import fc from 'fast-check';
import type { PcmShape } from '../formats/formats.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { gainFor, type MeasuredLoudness, measureLoudness, parseLoudness, type Stretch } from './loudness.ts';
import { createProbing } from './testing/level-files.ts';

const samples = forSuite(createAudioSamples);
const probing = forSuite(() => createProbing(samples.ffmpegPath), samples);

interface Measuring {
  readonly format?: PcmShape['format'];
  readonly channelCount?: number;
  readonly sampleRateHz?: number;
  readonly stretches?: readonly Stretch[];
}

async function measure(path: string, { stretches, ...shape }: Measuring = {}): Promise<MeasuredLoudness> {
  const source = await probing.probe(path);
  const { sampleRateHz, channelCount } = source.probed;
  const pcm = { format: 's16le', sampleRateHz, channelCount, ...shape } as const;
  return await measureLoudness({ ...source, pcm, ...(stretches === undefined ? {} : { stretches }) });
}

interface Tone {
  readonly amplitude: number;
  readonly hz: number;
  readonly rate: number;
  readonly channels: 1 | 2;
  readonly seconds?: number;
}

function tone({ amplitude, hz, rate, channels, seconds = 8 }: Tone): string {
  const wave = `${amplitude}*sin(2*PI*${hz}*t)`;
  return `aevalsrc=${channels === 1 ? wave : `${wave}|${wave}`}:s=${rate}:d=${seconds}`;
}

function assertNear(actual: number | undefined, expected: number, tolerance: number, what: string): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= tolerance + 1e-9,
    `${what}: ${actual}, not ${expected}`,
  );
}

// Covers C-7.11
test('tones of known loudness measure as EBU Tech 3341 requires, at any rate', async () => {
  // A stereo sine of 1 kHz at -23 dBFS has -23 LUFS; on one channel 3 dB less.
  for (const [name, rate, channels, dbfs, lufs] of [
    ['a.wav', 48_000, 2, -23, -23],
    ['b.wav', 44_100, 2, -33, -33],
    ['c.wav', 32_000, 1, -20, -23],
    ['d.flac', 96_000, 2, -12, -12],
  ] as const) {
    const sine = tone({ amplitude: 10 ** (dbfs / 20), hz: 1_000, rate, channels });
    const path = await samples.make(name, sine);
    const { measuredLufs, truePeakDbtp } = await measure(path);
    assertNear(measuredLufs, lufs, 0.1, name);
    assertNear(truePeakDbtp, dbfs, 0.2, name);
  }
});

test('the true peak is above the samples if they miss the crest', async () => {
  // A quarter of the rate, halfway between zero and crest: every sample is 3 dB below it. It fades in,
  // because a hard onset rings.
  const wave = '0.5*min(1\\,t)*sin(2*PI*12000*t+PI/4)';
  const path = await samples.make('peak.wav', `aevalsrc=${wave}:s=48000:d=5`);
  const { truePeakDbtp } = await measure(path);
  assertNear(truePeakDbtp, 20 * Math.log10(0.5), 0.2, 'between samples');
});

// Covers C-7.15
test('a silent source has no loudness and no peak', async () => {
  const path = await samples.make('silent.flac', 'anullsrc=r=44100:cl=stereo', '-t', '3');
  const measured = await measure(path);
  assert.deepEqual(measured, { measuredLufs: undefined, truePeakDbtp: undefined });
  assert.deepEqual(gainFor(measured, -16), { measuredLufs: undefined, gainDb: 0, truePeakDbtp: undefined });
});

// Covers C-7.11
test('only the stretches that are split count, in the form that is encoded', async () => {
  const loud = 'between(t,4,8)';
  const wave = `(0.02+0.18*${loud})*sin(2*PI*1000*t)`.replaceAll(',', '\\,');
  const path = await samples.make('steps.flac', `aevalsrc=${wave}|0:s=44100:d=12`);
  const at = (fromSeconds: number, toSeconds: number): Stretch => ({ fromSeconds, toSeconds });
  const quiet = await measure(path, { stretches: [at(9, 11.5), at(0.5, 3.5)] });
  assertNear(quiet.measuredLufs, 20 * Math.log10(0.02) - 3, 0.1, 'quiet');
  const louder = await measure(path, { stretches: [at(4.5, 7.5)] });
  assertNear(louder.measuredLufs, 20 * Math.log10(0.2) - 3, 0.1, 'loud');
  assertNear(louder.truePeakDbtp, 20 * Math.log10(0.2), 0.2, 'loud');
  const mono = await measure(path, { stretches: [at(4.5, 7.5)], channelCount: 1, sampleRateHz: 16_000 });
  assertNear(mono.measuredLufs, 20 * Math.log10(0.1) - 3, 0.1, 'mixed down');
  const beyond = await measure(path, { stretches: [at(20, 30)] });
  assert.equal(beyond.measuredLufs, undefined);
});

test('peaks above full scale are measured if the sample format can represent them', async () => {
  const sine = tone({ amplitude: 1.5, hz: 500, rate: 48_000, channels: 2, seconds: 4 });
  const path = await samples.make('over.wav', sine, '-c:a', 'pcm_f32le');
  const { truePeakDbtp } = await measure(path, { format: 'f32le' });
  assertNear(truePeakDbtp, 20 * Math.log10(1.5), 0.2, 'float');
});

test('the summary is parsed in the formats of several builds', () => {
  const of2018 =
    '[Parsed_ebur128_0 @ 0x1] Summary:\n\n  Integrated loudness:\n    I:         -21.1 LUFS\n    Threshold: -31.1 LUFS\n\n  Loudness range:\n    LRA:        20.0 LU\n\n  True peak:\n    Peak:      -18.1 dBFS\n';
  assert.deepEqual(parseLoudness(of2018), { measuredLufs: -21.1, truePeakDbtp: -18.1 });
  const silent = of2018.replace('-21.1 LUFS', '-70.0 LUFS').replace('-18.1', ' -inf');
  assert.deepEqual(parseLoudness(silent), { measuredLufs: undefined, truePeakDbtp: undefined });
  assert.deepEqual(parseLoudness(of2018.replace('-18.1 dBFS', '+0.4 dBTP')), {
    measuredLufs: -21.1,
    truePeakDbtp: 0.4,
  });
  assert.equal(parseLoudness('Conversion failed!'), undefined);
});

// Covers C-7.13
test('the gain reaches the target, or limits the true peak to -1 dBTP', () => {
  assert.deepEqual(gainFor({ measuredLufs: -23, truePeakDbtp: -12 }, -16), {
    measuredLufs: -23,
    gainDb: 7,
    truePeakDbtp: -5,
  });
  assert.deepEqual(gainFor({ measuredLufs: -23, truePeakDbtp: -3.4 }, -16), {
    measuredLufs: -23,
    gainDb: 2.4,
    truePeakDbtp: -1,
  });
  fc.assert(
    fc.property(
      fc.integer({ min: -690, max: 50 }),
      fc.integer({ min: -900, max: 60 }),
      fc.integer({ min: -310, max: -90 }),
      (lufs, peak, target) => {
        const { gainDb, truePeakDbtp } = gainFor(
          { measuredLufs: lufs / 10, truePeakDbtp: peak / 10 },
          target / 10,
        );
        assert.ok(truePeakDbtp !== undefined && truePeakDbtp <= -1);
        assert.ok(lufs / 10 + gainDb <= target / 10 + 1e-9);
        assert.ok(truePeakDbtp === -1 || Math.abs(lufs / 10 + gainDb - target / 10) < 1e-9);
      },
    ),
  );
});
