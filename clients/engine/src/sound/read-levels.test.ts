import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile } from '../copy/testing/ffmpeg.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { createLevelMeter, endOfLevels, type Levels } from './levels.ts';
import { createLevelSource } from './read-levels.ts';
import { createProbing } from './testing/level-files.ts';

const SECONDS = 31.3;
/** No two moments are alike: noise that is switched on and off at a drifting rhythm. */
const PULSES = `0.4*random(0)*gt(mod(t*(1+t/500),0.37),0.15)+0.004*sin(2*PI*900*t)`;

const SOUND = `aevalsrc=${PULSES}|0.5*(${PULSES}):s=48000:d=${SECONDS}`.replaceAll(',', '\\,');

const made = new Map<string, Promise<string>>();

function once(name: string, make: () => Promise<string>): Promise<string> {
  const path = made.get(name) ?? make();
  made.set(name, path);
  return path;
}

/** From audio that is generated once: the expression takes longer than an encoder. */
function encoded(name: string, rate: number, ...args: readonly string[]): Promise<string> {
  return once(name, async () => {
    const sound = await once('sound.wav', () => samples.make('sound.wav', SOUND, '-c:a', 'pcm_s24le'));
    return await samples.make(name, 'anullsrc', '-i', sound, '-map', '1:a', '-ar', String(rate), ...args);
  });
}

const samples = forSuite(createAudioSamples);
const probing = forSuite(() => createProbing(samples.ffmpegPath), samples);

const WINDOWS: readonly (readonly [number, number])[] = [
  [0, 4],
  [0.5, 3],
  [9.23, 14.23],
  [21, 21.4],
  [27.01, 40],
];

/**
 * The distance of a window's levels from those of the whole: the shift with the least difference, and that
 * difference.
 */
function compare(window: Levels, whole: Levels): { readonly shift: number; readonly meanDb: number } {
  const offset = Math.round((window.startSeconds - whole.startSeconds) / whole.stepSeconds);
  let best = { shift: Number.NaN, meanDb: Number.POSITIVE_INFINITY };
  for (let shift = -6; shift <= 6; shift++) {
    let sum = 0;
    let count = 0;
    window.values.forEach((value, index) => {
      const other = whole.values[offset + index + shift];
      if (other === undefined) return;
      sum += Math.abs(Math.max(-80, value) - Math.max(-80, other));
      count += 1;
    });
    if (count > 0 && sum / count < best.meanDb) best = { shift, meanDb: sum / count };
  }
  return best;
}

const CBR = ['cbr.mp3', 44_100, '-b:a', '128k'] as const;
const FORMATS: readonly (readonly [name: string, rate: number, ...args: string[]])[] = [
  CBR,
  ['vbr.mp3', 44_100, '-q:a', '5'],
  ['plain.mp3', 44_100, '-b:a', '96k', '-write_xing', '0', '-id3v2_version', '0'],
  ['plain-vbr.mp3', 48_000, '-q:a', '3', '-write_xing', '0'],
  ['low.mp3', 16_000, '-b:a', '8k', '-ac', '1'],
  ['s.m4a', 44_100, '-c:a', 'aac'],
  ['fast.m4a', 48_000, '-c:a', 'aac', '-movflags', '+faststart'],
  ['s.aac', 44_100, '-c:a', 'aac'],
  ['s.flac', 44_100, '-sample_fmt', 's16'],
  ['deep.flac', 96_000, '-sample_fmt', 's32'],
  ['s.ogg', 44_100, '-c:a', 'libvorbis', '-q:a', '4'],
  ['s.opus', 48_000, '-c:a', 'libopus', '-b:a', '64k'],
  ['flac.oga', 44_100, '-c:a', 'flac', '-f', 'ogg'],
  ['s.wav', 44_100],
  ['deep.wav', 22_050, '-c:a', 'pcm_s24le'],
  ['opus.webm', 48_000, '-c:a', 'libopus', '-b:a', '64k'],
  ['vorbis.mka', 44_100, '-c:a', 'libvorbis'],
  ['flac.mka', 44_100, '-c:a', 'flac'],
  ['opus.caf', 48_000, '-c:a', 'libopus', '-b:a', '64k'],
  ['s.aiff', 44_100],
];

for (const [name, rate, ...args] of FORMATS) {
  // Covers C-4.22
  test(`a stretch of ${name} has the same levels as in a full decode`, async () => {
    const source = await probing.probe(await encoded(name, rate, ...args));
    const whole = await createLevelSource(source).levels(0, SECONDS + 1);
    assert.ok(Math.abs(endOfLevels(whole) - SECONDS) < 0.1, `${endOfLevels(whole)} s`);
    // A container's positions of Vorbis packets are some milliseconds off in places.
    const most = args.includes('libvorbis') ? { shift: 1, meanDb: 1.5 } : { shift: 0, meanDb: 0.3 };
    for (const [from, to] of WINDOWS) {
      const levelSource = createLevelSource(source);
      const window = await levelSource.levels(from, to);
      assert.ok(window.startSeconds >= from - 1e-9 && window.startSeconds < from + 0.01);
      const expectedEnd = Math.min(to, endOfLevels(whole));
      assert.ok(
        Math.abs(endOfLevels(window) - expectedEnd) < 0.03,
        `${name} ${from}: ends at ${endOfLevels(window)}`,
      );
      const { shift, meanDb } = compare(window, whole);
      assert.ok(Math.abs(shift) <= most.shift, `${name} from ${from} is shifted by ${shift} steps`);
      assert.ok(meanDb < most.meanDb, `${name} from ${from} differs by ${meanDb} dB`);
      assert.equal(levelSource.isWholeDecoded, name === 's.aiff', `${name} from ${from}`);
    }
  });
}

test('most of a source, or one with an unreliable index, is decoded as a whole, once', async () => {
  const path = await encoded('whole.ogg', 44_100, '-c:a', 'libvorbis', '-t', '8');
  const once = createLevelSource(await probing.probe(path));
  assert.ok(Math.abs(endOfLevels(await once.levels(0, 7)) - 7) < 0.02);
  assert.equal(once.isWholeDecoded, true);

  const other = await readFile(
    await encoded('other.ogg', 44_100, '-c:a', 'libvorbis', '-q:a', '2', '-t', '9'),
  );
  const chained = join(samples.dir, 'chained.ogg');
  await writeFile(chained, Buffer.concat([await readFile(path), other]));
  const source = createLevelSource(await probing.probe(chained));
  const levels = await source.levels(12, 14);
  assert.equal(source.isWholeDecoded, true);
  assert.equal(levels.values.length, 199);
});

/** Longer than two of the stretches that are read in parallel. */
const LONG_SECONDS = 610;

for (const [name, ...args] of [
  ['long.mp3', '-b:a', '24k'],
  ['long.m4a', '-c:a', 'aac', '-b:a', '24k'],
  ['long.aac', '-c:a', 'aac', '-b:a', '24k'],
  ['long.flac'],
  ['long.wav'],
] as const) {
  test(`the whole of ${name} has the levels of one decoding, for any borders between stretches`, async () => {
    const noise = `anoisesrc=r=11025:d=${LONG_SECONDS}:a=0.3:seed=5,tremolo=f=0.3:d=0.9`;
    const path = await samples.make(name, noise, '-ac', '1', ...args);
    const levels = await createLevelSource(await probing.probe(path)).levels(0, LONG_SECONDS);
    const meter = createLevelMeter({ format: 'f32le', sampleRateHz: 11_025, channelCount: 1 });
    meter.push(await decodeFile(path, 'f32le'));
    const expected = meter.finish().values.subarray(0, levels.values.length);
    assert.ok(levels.values.length >= LONG_SECONDS * 100 - 2, `${levels.values.length} values`);
    const worst = levels.values.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - (expected[at] ?? 0))),
      0,
    );
    assert.ok(worst < 0.01, `${worst} dB`);
  });
}

test('a stretch interrupted by junk is still measured, and one beyond the end is empty', async () => {
  const mp3 = await readFile(await encoded(...CBR));
  const path = join(samples.dir, 'interrupted.mp3');
  const middle = Math.floor(mp3.length / 2);
  await writeFile(
    path,
    Buffer.concat([mp3.subarray(0, middle), Buffer.alloc(1_000, 0x41), mp3.subarray(middle)]),
  );
  const source = createLevelSource(await probing.probe(path));
  const window = await source.levels(14, 18);
  assert.ok(Math.abs(endOfLevels(window) - 18) < 0.03);
  assert.equal((await source.levels(40, 50)).values.length, 0);
});
