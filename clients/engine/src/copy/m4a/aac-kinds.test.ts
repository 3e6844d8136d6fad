/** AAC other than LC and HE with frames of 1,024 samples is also copied frame by frame. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { asMovie, readMovie, withConfig } from '../testing/aac-movie.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { readAudioSpecificConfig } from './audio-specific-config.ts';
import { createBox, findBox, uint32 } from './boxes.ts';
import { maxEntryDistance } from './entry-frame.ts';
import { readRollGroups } from './roll-groups.ts';

const GOLDEN = join(import.meta.dirname, '../../../suites/golden/aac');
const GENERATED = { sampleRateHz: 44_100, channelCount: 1, extension: 'm4a', seconds: 4.3 } as const;
const AAC = ['-strict', '-2', '-c:a', 'aac', '-aac_pns', '0', '-b:a', '48k'];

interface Kind {
  readonly source: () => Promise<Buffer>;
  readonly frameSamples: number;
  /**
   * The distance of a segment's audio from the source's, in decibels; undefined if no decoder is available.
   */
  readonly leastDistance: number | undefined;
  readonly channelCount: 1 | 2;
}

const EXACT = Number.POSITIVE_INFINITY;
const golden = (name: string) => () => readFile(join(GOLDEN, `${name}.m4a`));
const KINDS: Readonly<Record<string, Kind>> = {
  Main: {
    source: () => createSource({ ...GENERATED, encode: [...AAC, '-profile:a', 'aac_main'] }),
    frameSamples: 1_024,
    // The effect of prediction decays, but has not vanished after a second.
    leastDistance: 50,
    channelCount: 1,
  },
  LTP: {
    source: () => createSource({ ...GENERATED, encode: [...AAC, '-profile:a', 'aac_ltp'] }),
    frameSamples: 1_024,
    leastDistance: EXACT,
    channelCount: 1,
  },
  LD: { source: golden('ld'), frameSamples: 512, leastDistance: EXACT, channelCount: 1 },
  ELD: { source: golden('eld'), frameSamples: 512, leastDistance: EXACT, channelCount: 1 },
  'ELD with a high band': {
    source: golden('eld-sbr'),
    frameSamples: 512,
    leastDistance: undefined,
    channelCount: 1,
  },
  'LC of 960 samples': {
    source: golden('lc-960'),
    frameSamples: 960,
    leastDistance: EXACT,
    channelCount: 1,
  },
  'HE of 960 samples': {
    source: golden('he-960'),
    frameSamples: 960,
    // ffmpeg decodes only its core.
    leastDistance: EXACT,
    channelCount: 2,
  },
};

describe('AAC of other kinds', () => {
  for (const [name, { source, frameSamples, leastDistance, channelCount }] of Object.entries(KINDS)) {
    test(`AAC ${name} is copied, and every segment begins with its sound`, async () => {
      const whole = await source();
      const { track, frames } = readMovie(whole);
      assert.equal(track.config.frameSamples, frameSamples);
      const [wholeSound] = leastDistance === undefined ? [] : await decodeAll([whole], 'm4a', 'f32le');
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(0.6 * whole.length) } as const;
      for (const cut of [{ mode: 'duration', segmentDurationSeconds: 0.7 }, fileSize] as const) {
        const { result, segments, files } = await splitBuffer('m4a', whole, cut);
        assert.equal(result.sourceSampleCount, track.audibleEnd - track.audibleStart);
        assert.ok(files.length > 1);
        const decoded = leastDistance === undefined ? [] : await decodeAll(files, 'm4a', 'f32le');
        for (const [index, { startSample, sampleCount }] of segments.entries()) {
          const segment = readMovie(files[index] ?? Buffer.alloc(0));
          const { audibleStart, audibleEnd } = segment.track;
          assert.equal(audibleEnd - audibleStart, sampleCount);
          const firstFrame = (track.audibleStart + startSample - audibleStart) / frameSamples;
          assert.deepEqual(segment.frames, frames.slice(firstFrame, firstFrame + segment.frames.length));
          if (cut.mode === 'fileSize') assert.ok((files[index]?.length ?? 0) <= cut.maxFileSizeBytes);
          if (wholeSound === undefined || leastDistance === undefined) continue;
          const bytes = 4 * channelCount;
          const sound = decoded[index]?.subarray(0, bytes * sampleCount) ?? Buffer.alloc(0);
          assert.equal(sound.length, bytes * sampleCount);
          const expected = wholeSound.subarray(bytes * startSample, bytes * (startSample + sampleCount));
          const distance = distanceBetween(sound, expected);
          assert.ok(distance >= leastDistance, `segment ${index}: ${distance} dB`);
        }
      }
    });
  }

  test('every segment repeats what the source states about preroll frames', async () => {
    const { files } = await splitBuffer('m4a', await golden('eld')(), {
      mode: 'duration',
      segmentDurationSeconds: 0.7,
    });
    for (const file of files) {
      const tables = findBox(file, 'moov', 'trak', 'mdia', 'minf', 'stbl') ?? Buffer.alloc(0);
      const count = findBox(tables, 'stsz')?.readUInt32BE(8);
      assert.equal(findBox(tables, 'sbgp')?.readUInt32BE(12), count);
      assert.equal(findBox(tables, 'sgpd')?.toString('latin1', 4, 8), 'roll');
    }
  });

  test('a group that a source repeats or describes at length does not enlarge every segment', () => {
    const [version, type, count] = [uint32(0), Buffer.from('roll'), 7];
    const members = createBox('sbgp', version, type, uint32(1, count, 1));
    const description = createBox('sgpd', version, type, uint32(2, 1), Buffer.of(0xff, 0xff));
    const long = createBox('sgpd', version, type, Buffer.alloc(1_000_000));
    const groupsOf = (...tables: Buffer[]) => readRollGroups(Buffer.concat(tables), count)(count);
    assert.deepEqual(groupsOf(description, members, members), [description, members]);
    assert.deepEqual(groupsOf(long, members), []);
  });

  test('other codecs of MPEG-4 are declined', async () => {
    const whole = await golden('lc-960')();
    // Scalable AAC, TwinVQ, CELP, BSAC.
    for (const config of ['3310', '3b10', '4310', 'b310'])
      await assert.rejects(
        splitBuffer('m4a', withConfig(whole, config), { mode: 'duration', segmentDurationSeconds: 0.7 }),
        (error) => error instanceof CopyNotPossibleError && /object type/.test(error.message),
      );
  });
});

/**
 * Made by libxaac: 44,100 Hz, frames of 1,024 samples. The first element holds the data that a decoder needs
 * before a frame.
 */
const USAC_CONFIG = 'f94824212cc00c00ae40000500020009e7846bcb00';
const DEPENDENT = 0x04;
const INDEPENDENT = 0x84;
const WITH_PREROLL = 0xc4;

describe('xHE-AAC copy', () => {
  test('a rate that no encoder writes keeps no more frames in memory than 96 kHz does', () => {
    // The rate in 24 bits, then frames of 768 samples.
    const config = readAudioSpecificConfig({ bytes: Buffer.from('f9483fffffff0100', 'hex'), position: 0 });
    const track = { config, sampleRateHz: config.coreRateHz };
    assert.ok(config.coreRateHz > 8_000_000);
    assert.equal(maxEntryDistance(track), (10 * 96_000) / 768);
  });

  /**
   * Built by hand, because no encoder is available: only decoders read more than the first bits of a frame.
   */
  function frame(index: number): Buffer {
    const bytes = Buffer.alloc(60 + (index % 7), index);
    bytes[0] = index % 40 === 0 ? WITH_PREROLL : index % 40 > 36 ? INDEPENDENT : DEPENDENT;
    return bytes;
  }
  const frames = Array.from({ length: 300 }, (_, index) => frame(index));
  let movie: (of: readonly Buffer[]) => Buffer;

  before(async () => {
    const { track } = readMovie(await golden('lc-960')());
    const config = readAudioSpecificConfig({ bytes: Buffer.from(USAC_CONFIG, 'hex'), position: 0 });
    const described = { ...track, sampleRateHz: 44_100, config };
    movie = (of) => asMovie({ track: described, frames: of }, USAC_CONFIG);
  });

  test('xHE-AAC is copied, and every segment begins with a frame that contains its preroll', async () => {
    const whole = movie(frames);
    for (const cut of [
      { mode: 'duration', segmentDurationSeconds: 1.5 },
      { mode: 'fileSize', maxFileSizeBytes: 8_000 },
    ] as const) {
      const { result, segments, files } = await splitBuffer('m4a', whole, cut);
      assert.equal(result.sourceSampleCount, 300 * 1_024);
      assert.equal(result.sourceSampleRateHz, 44_100);
      assert.ok(files.length > 3);
      for (const [index, { startSample, sampleCount }] of segments.entries()) {
        const file = files[index] ?? Buffer.alloc(0);
        const { track, frames: copied } = readMovie(file);
        assert.equal(track.audibleEnd - track.audibleStart, sampleCount);
        const firstFrame = (startSample - track.audibleStart) / 1_024;
        assert.equal(firstFrame % 40, 0);
        assert.ok(firstFrame <= Math.max(0, startSample / 1_024 - 2));
        assert.ok(startSample / 1_024 - firstFrame < 43);
        assert.deepEqual(copied, frames.slice(firstFrame, firstFrame + copied.length));
        assert.ok(track.isSync(0));
        assert.ok(!track.isSync(1));
        if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
      }
    }
  });

  test('a segment of xHE-AAC can be split again', async () => {
    const cut = { mode: 'duration', segmentDurationSeconds: 3 } as const;
    const { files, segments } = await splitBuffer('m4a', movie(frames), cut);
    const again = await splitBuffer('m4a', files[1] ?? Buffer.alloc(0), {
      mode: 'duration',
      segmentDurationSeconds: 1.1,
    });
    assert.equal(again.result.sourceSampleCount, segments[1]?.sampleCount);
    for (const file of again.files) assert.equal(readMovie(file).frames[0]?.[0], WITH_PREROLL);
  });

  test('without preroll a segment of xHE-AAC begins with an independent frame, and copying stops if there is none', async () => {
    const bare = frames.map((bytes, index) =>
      index > 0 && bytes[0] === WITH_PREROLL
        ? Buffer.concat([Buffer.of(DEPENDENT), bytes.subarray(1)])
        : bytes,
    );
    const cut = { mode: 'duration', segmentDurationSeconds: 1.5 } as const;
    const { files } = await splitBuffer('m4a', movie(bare.slice(240).concat(bare)), cut);
    assert.equal(readMovie(files.at(-1) ?? Buffer.alloc(0)).frames[0]?.[0], WITH_PREROLL);
    const never = [...frames.slice(0, 1), ...Array.from({ length: 700 }, () => Buffer.of(DEPENDENT, 0))];
    await assert.rejects(splitBuffer('m4a', movie(never), cut), CopyNotPossibleError);
  });
});

function distanceBetween(sound: Buffer, expected: Buffer): number {
  let power = 0;
  let difference = 0;
  for (let at = 0; at < expected.length; at += 4) {
    power += expected.readFloatLE(at) ** 2;
    difference += (expected.readFloatLE(at) - sound.readFloatLE(at)) ** 2;
  }
  return difference === 0 ? EXACT : 10 * Math.log10(power / difference);
}
