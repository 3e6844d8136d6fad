import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { MediaError } from '../../media-error.ts';
import { startSplit } from '../../testing/split-run.ts';
import { readHighBand } from '../aac/aac-frame.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { asMovie, readMovie, withConfig } from '../testing/aac-movie.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { type AudioTrack, readAudioTrack } from './audio-track.ts';
import { findBox } from './boxes.ts';

const GOLDEN = join(import.meta.dirname, '../../../suites/golden/he-aac');
const FRAME_SAMPLES = 1_024;
const CORE_RATE_HZ = 22_050;
const OUTPUT_RATE_HZ = 44_100;
const FRAME_COUNTS = { 'he-aac-v1': 89, 'he-aac-v2': 90 } as const;
type Name = keyof typeof FRAME_COUNTS;
/** The AudioSpecificConfig of the core alone, with the high band announced after it, and explicit. */
const CONFIGS: Readonly<Record<Name, readonly [string, string, string]>> = {
  'he-aac-v1': ['1390', '139056e5a0', '2b920800'],
  'he-aac-v2': ['1388', '138856e5a0', 'eb8a0800'],
};
/** Neither a multiple of the frame nor of the distance of headers. */
const CUT = { mode: 'duration', segmentDurationSeconds: 0.9 } as const;

describe('HE-AAC copy', () => {
  const golden = new Map<Name, Buffer>();
  const source = (name: Name): Buffer => golden.get(name) ?? Buffer.alloc(0);

  before(async () => {
    for (const name of ['he-aac-v1', 'he-aac-v2'] as const)
      golden.set(name, await readFile(join(GOLDEN, `${name}.m4a`)));
  });

  for (const name of ['he-aac-v1', 'he-aac-v2'] as const) {
    const [unannounced, behind, outright] = CONFIGS[name];
    const variants: Readonly<Record<string, () => Buffer>> = {
      'unannounced, counted at the output rate': () => source(name),
      'announced behind the core, counted at the output rate': () => withConfig(source(name), behind),
      'unannounced, counted at the core rate': () => asMovie(readMovie(source(name)), unannounced),
      'announced behind the core, counted at its rate': () => asMovie(readMovie(source(name)), behind),
      'announced outright, counted at the core rate': () => asMovie(readMovie(source(name)), outright),
    };
    for (const [variant, make] of Object.entries(variants)) {
      test(`${name}, ${variant}: every segment begins with its sound`, async () => {
        const whole = make();
        const { frames } = readMovie(whole);
        const [decodedWhole = Buffer.alloc(0)] = await decodeAll([whole], 'm4a', 'f32le');
        const wholeSound = samplesOf(decodedWhole);
        assert.equal(wholeSound.length / 2, frames.length * 2 * FRAME_SAMPLES);
        for (const cut of [CUT, { mode: 'fileSize', maxFileSizeBytes: 4_800 } as const]) {
          const { result, segments, files } = await splitBuffer('m4a', whole, cut);
          assert.equal(result.sourceSampleRateHz, CORE_RATE_HZ);
          assert.equal(result.sourceSampleCount, frames.length * FRAME_SAMPLES);
          assert.ok(files.length > 2);
          const decoded = await decodeAll(files, 'm4a', 'f32le');
          for (const [index, file] of files.entries()) {
            const segment = segments[index];
            assert.ok(segment);
            if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
            else if (index < files.length - 1) assert.equal(segment.sampleCount, 0.9 * CORE_RATE_HZ);
            assertHoldsFrames(file, frames, segment.startSample, segment.sampleCount);
            const sound = samplesOf(decoded[index] ?? Buffer.alloc(0));
            // Decoders play the last frame in full.
            const excess = sound.length / 2 - 2 * segment.sampleCount;
            assert.ok(excess >= 0 && excess < 2 * FRAME_SAMPLES, `${excess} samples more`);
            assertSounds(sound, wholeSound.subarray(2 * 2 * segment.startSample), 2 * segment.sampleCount);
          }
        }
      });
    }
  }

  test('an edit list at the output rate is counted in samples of the core', async () => {
    const edited = Buffer.from(source('he-aac-v1'));
    const mediaTimeAt = edited.indexOf('elst') + 16;
    edited.writeUInt32BE(5_058, mediaTimeAt);
    const { segments, files, result } = await splitBuffer('m4a', edited, CUT);
    assert.equal(result.sourceSampleCount, FRAME_COUNTS['he-aac-v1'] * FRAME_SAMPLES - 2_529);
    const first = readAudioTrack(findBox(files[0] ?? Buffer.alloc(0), 'moov') ?? Buffer.alloc(0));
    assert.equal(first.audibleStart, 2_529);
    const again = await splitBuffer('m4a', files[1] ?? Buffer.alloc(0), {
      mode: 'duration',
      segmentDurationSeconds: 0.3,
    });
    assert.equal(again.result.sourceSampleCount, segments[1]?.sampleCount);
  });

  test('a header further back than a decoder looks stops copying, after the segments before it', async () => {
    const { track, frames } = readMovie(source('he-aac-v1'));
    const withoutHeader = frames.filter((frame) => !hasHeader(frame, track));
    const [first = Buffer.alloc(0)] = frames;
    assert.ok(hasHeader(first, track));
    const onlyFirst = asMovie({ track, frames: [first, ...withoutHeader] }, CONFIGS['he-aac-v1'][0]);
    const { files } = await splitBuffer('m4a', onlyFirst, { mode: 'duration', segmentDurationSeconds: 4 });
    assert.equal(files.length, 1);
    // The second segment needs the first frame before it, and so would the third.
    const early = { mode: 'duration', segmentDurationSeconds: 0.9 } as const;
    await assert.rejects(splitBuffer('m4a', onlyFirst, early), isDeclined(/no frame to begin with/));
    const none = asMovie({ track, frames: withoutHeader }, CONFIGS['he-aac-v1'][1]);
    await assert.rejects(splitBuffer('m4a', none, early), isDeclined(/no frame to begin with/));
  });

  test('when encoded into another format, an edit list at the output rate hides the stated samples', async () => {
    const edited = Buffer.from(source('he-aac-v1'));
    edited.writeUInt32BE(5_058, edited.indexOf('elst') + 16);
    const [decodedWhole = Buffer.alloc(0)] = await decodeAll([source('he-aac-v1')], 'm4a', 'f32le');
    await using run = await startSplit(edited, {
      cut: { mode: 'duration', segmentDurationSeconds: 2 },
      outputFormat: 'wav',
    });
    const result = await run.outcome;
    const expected = samplesOf(decodedWhole).subarray(2 * 5_058);
    assert.equal(result.sourceSampleCount, expected.length / 2);
    const files = await Promise.all(run.segments.map(({ path }) => readFile(path)));
    const sound = samplesOf(Buffer.concat(await decodeAll(files, 'wav', 'f32le')));
    assertSounds(sound, expected, result.sourceSampleCount);
  });

  test('frames that cannot be copied because a header is missing are encoded, from the sample where copying stopped', async () => {
    const { track, frames } = readMovie(source('he-aac-v1'));
    const kept = frames.filter((frame, index) => index < 40 || !hasHeader(frame, track));
    const movie = asMovie({ track, frames: kept }, CONFIGS['he-aac-v1'][0]);
    const [decodedWhole = Buffer.alloc(0)] = await decodeAll([movie], 'm4a', 'f32le');
    await using run = await startSplit(movie, {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
    });
    const result = await run.outcome;
    assert.equal(result.outputFormat, 'aac');
    const rates = run.segments.map(({ sampleRateHz }) => sampleRateHz);
    assert.deepEqual(rates, [CORE_RATE_HZ, CORE_RATE_HZ, CORE_RATE_HZ, OUTPUT_RATE_HZ]);
    const files = await Promise.all(run.segments.map(({ path }) => readFile(path)));
    const decoded = (await decodeAll(files, 'm4a', 'f32le')).map(samplesOf);
    const encoded = run.segments[3];
    assert.equal(encoded?.startSample, 3 * OUTPUT_RATE_HZ);
    const rest = samplesOf(decodedWhole).subarray(2 * 3 * OUTPUT_RATE_HZ);
    assert.equal(encoded.sampleCount, rest.length / 2);
    const distance = lowBandDistance(decoded[3] ?? new Float32Array(), rest, BEGINNING_SAMPLES, 0);
    // The loss from encoding; a shift of half a millisecond would leave less than 6 dB.
    assert.ok(distance > 12, `the low band lies ${distance} dB above the difference`);
  });

  test('a high band that is announced but cannot be found stops copying', async () => {
    const { track, frames } = readMovie(source('he-aac-v1'));
    // The rest of each frame ends within its fill element, or before.
    const short = frames.map((frame) => frame.subarray(0, -4));
    const announced = asMovie({ track, frames: short }, CONFIGS['he-aac-v1'][2]);
    const late = { mode: 'duration', segmentDurationSeconds: 1.5 } as const;
    await assert.rejects(splitBuffer('m4a', announced, late), isDeclined(/no frame to begin with/));
    const unannounced = asMovie({ track, frames: short }, CONFIGS['he-aac-v1'][0]);
    const { files } = await splitBuffer('m4a', unannounced, late);
    assert.equal(files.length, 3);
  });

  test('frames back to a header that leave no room within the limit stop copying', async () => {
    const { track, frames } = readMovie(source('he-aac-v1'));
    const limit = { mode: 'fileSize', maxFileSizeBytes: 1_900 } as const;
    await assert.rejects(
      splitBuffer('m4a', asMovie({ track, frames }, CONFIGS['he-aac-v1'][0]), limit),
      isDeclined(/leave no room/),
    );
  });

  test('damage anywhere in the frames or tables ends with a clear error or a split', async () => {
    const whole = asMovie(readMovie(source('he-aac-v2')), CONFIGS['he-aac-v2'][2]);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const damaged = Buffer.from(whole);
        for (const [at, value] of changes) damaged[at] = value;
        await splitBuffer('m4a', damaged, CUT).catch((error: unknown) => {
          assert.ok(error instanceof MediaError || error instanceof CopyNotPossibleError, String(error));
        });
      }),
      { numRuns: 150 },
    );
  });
});

function isDeclined(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof CopyNotPossibleError && message.test(error.message);
}

function hasHeader(frame: Buffer, { config }: AudioTrack): boolean {
  assert.ok(config.entry.kind === 'high-band');
  return readHighBand(frame, config.entry.bands)?.some((payload) => payload?.hasHeader) === true;
}

/** The frames are the source's, byte for byte, and no more precede them than a decoder reads. */
function assertHoldsFrames(
  file: Buffer,
  source: readonly Buffer[],
  startSample: number,
  sampleCount: number,
): void {
  const { track, frames } = readMovie(file);
  assert.equal(track.audibleEnd - track.audibleStart, sampleCount);
  assert.ok(track.audibleStart <= track.sampleRateHz);
  const firstFrame = (startSample - track.audibleStart) / FRAME_SAMPLES;
  const expected = source.slice(firstFrame, firstFrame + frames.length);
  assert.deepEqual(frames, expected);
}

function samplesOf(pcm: Buffer): Float32Array {
  return new Float32Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
}

const LOW_PASS_REACH = 127;
const BEGINNING_SAMPLES = 6_000;
/** Below and above the crossover of both files, which is at some 4 kHz. */
const BELOW = lowPass(3_000);
const ABOVE = lowPass(6_000);

/**
 * Below the crossover the audio depends on the frames alone, also where parametric stereo spreads it. The
 * limit of 60 dB is far above the result of a shift by one sample (20 dB at most), a missing frame or missing
 * stereo, and far below rounding and the filter's leakage (some 90 dB). The high band is made from noise that
 * continues from the decoder's start, so only its strength can be compared, and only over some time: without
 * a header it would be missing (some 40 dB).
 */
function assertSounds(segment: Float32Array, source: Float32Array, sampleCount: number): void {
  for (const length of [Math.min(BEGINNING_SAMPLES, sampleCount), sampleCount]) {
    for (const channel of [0, 1]) {
      const distance = lowBandDistance(segment, source, length, channel);
      assert.ok(distance > 60, `the low band lies ${distance} dB above the difference`);
      const energy = { ofSegment: 0, ofSource: 0 };
      for (let at = LOW_PASS_REACH; at < length - LOW_PASS_REACH; at += 7) {
        energy.ofSource += ((source[2 * at + channel] ?? 0) - filtered(source, at, channel, ABOVE)) ** 2;
        energy.ofSegment += ((segment[2 * at + channel] ?? 0) - filtered(segment, at, channel, ABOVE)) ** 2;
      }
      const strength = decibels(energy.ofSegment / energy.ofSource);
      assert.ok(Math.abs(strength) < 3, `the high band is ${strength} dB stronger`);
    }
  }
}

function lowBandDistance(
  segment: Float32Array,
  source: Float32Array,
  sampleCount: number,
  channel: number,
): number {
  const energy = { low: 0, difference: 0 };
  for (let at = LOW_PASS_REACH; at < sampleCount - LOW_PASS_REACH; at += 7) {
    const low = filtered(source, at, channel, BELOW);
    energy.low += low ** 2;
    energy.difference += (low - filtered(segment, at, channel, BELOW)) ** 2;
  }
  return decibels(energy.low / energy.difference);
}

function decibels(ratio: number): number {
  return 10 * Math.log10(ratio);
}

/** A windowed sinc. */
function lowPass(cutoffHz: number): Float64Array {
  const cutoff = (2 * cutoffHz) / OUTPUT_RATE_HZ;
  return Float64Array.from({ length: 2 * LOW_PASS_REACH + 1 }, (_, index) => {
    const tap = index - LOW_PASS_REACH;
    const sinc = tap === 0 ? cutoff : Math.sin(Math.PI * cutoff * tap) / (Math.PI * tap);
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * tap) / (LOW_PASS_REACH + 1)));
  });
}

/**
 * One sample of one of two channels. A low pass is symmetrical: samples equally far on both sides share a
 * factor.
 */
function filtered(sound: Float32Array, at: number, channel: number, filter: Float64Array): number {
  const middle = 2 * at + channel;
  let sum = (filter[LOW_PASS_REACH] ?? 0) * (sound[middle] ?? 0);
  for (let tap = 1; tap <= LOW_PASS_REACH; tap++)
    sum +=
      (filter[LOW_PASS_REACH + tap] ?? 0) * ((sound[middle - 2 * tap] ?? 0) + (sound[middle + 2 * tap] ?? 0));
  return sum;
}
