import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AudioSamples, createAudioSamples } from '../testing/audio-samples.ts';
import { endOfLevels, type Levels } from './levels.ts';
import { createLevelSource } from './read-levels.ts';
import { createProbing, type Probing } from './testing/level-files.ts';

const SECONDS = 61.3;
/** No two moments are alike: noise that comes and goes at a rhythm which drifts. */
const PULSES = `0.4*random(0)*gt(mod(t*(1+t/500),0.37),0.15)+0.004*sin(2*PI*900*t)`;

function pulses(sampleRateHz: number): string {
  return `aevalsrc=${PULSES}|0.5*(${PULSES}):s=${sampleRateHz}:d=${SECONDS}`.replaceAll(',', '\\,');
}

let samples: AudioSamples;
let probing: Probing;
before(async () => {
  samples = await createAudioSamples();
  probing = await createProbing(samples.ffmpegPath);
});
after(async () => {
  await probing[Symbol.asyncDispose]();
  await samples[Symbol.asyncDispose]();
});

const WINDOWS: readonly (readonly [number, number])[] = [
  [0, 4],
  [0.5, 3],
  [17.23, 27.23],
  [33, 33.4],
  [41.11, 51],
  [55, 70],
];

/** How far the levels of a window lie from those of the whole: the shift with the least difference, and that difference. */
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

const FORMATS: readonly (readonly [name: string, rate: number, ...args: string[]])[] = [
  ['cbr.mp3', 44_100, '-b:a', '128k'],
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
  test(`a stretch of ${name} has the levels that a full decode has there`, async () => {
    const source = await probing.probe(await samples.make(name, pulses(rate), ...args));
    const whole = await createLevelSource(source).levels(0, SECONDS + 1);
    assert.ok(Math.abs(endOfLevels(whole) - SECONDS) < 0.1, `${endOfLevels(whole)} s`);
    for (const [from, to] of WINDOWS) {
      const levelSource = createLevelSource(source);
      const window = await levelSource.levels(from, to);
      if (process.env.SHOW) console.log(name, from, levelSource.isWholeDecoded);
      assert.ok(window.startSeconds >= from - 1e-9 && window.startSeconds < from + 0.01);
      const expectedEnd = Math.min(to, endOfLevels(whole));
      assert.ok(
        Math.abs(endOfLevels(window) - expectedEnd) < 0.03,
        `${name} ${from}: ends at ${endOfLevels(window)}`,
      );
      const { shift, meanDb } = compare(window, whole);
      assert.equal(shift, 0, `${name} from ${from} is shifted by ${shift} steps`);
      assert.ok(meanDb < 0.6, `${name} from ${from} differs by ${meanDb} dB`);
      if (process.env.SHOW) console.log(name, from, meanDb);
    }
  });
}
