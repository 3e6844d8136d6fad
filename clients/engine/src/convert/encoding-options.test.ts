/** Segments with a requested rate, channel count, bitrate, depth and level. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { EncodingOptions } from '@audiosplit/cuts/cut-request';
import { checkEncoding } from '@audiosplit/cuts/encoding-options';
import { OUTPUT_FORMATS } from '@audiosplit/cuts/output-formats';
import fc from 'fast-check';
import { decodeFile, decodeJoined } from '../copy/testing/ffmpeg.ts';
import type { OutputFormat } from '../formats/formats.ts';
import { MediaError } from '../media-error.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { runConversion } from '../testing/conversion-run.ts';

const SECONDS = 2.25;
const BY_DURATION = { mode: 'duration', segmentDurationSeconds: 1 } as const;
const BY_SIZE = { mode: 'fileSize', maxFileSizeBytes: 65_536 } as const;

const samples = forSuite(createAudioSamples);
const sources = forSuite(
  async () => ({
    stereo: await readFile(await samples.make('stereo.wav', sound(44_100, SECONDS, 'stereo'))),
    mono: await readFile(
      await samples.make('mono.flac', sound(32_000, SECONDS, 'mono'), '-sample_fmt', 's16'),
    ),
  }),
  samples,
);

const CASES: readonly (readonly [OutputFormat, EncodingOptions])[] = [
  ['mp3', { sampleRate: 8_000, channels: 1, bitrate: 8_000 }],
  ['mp3', { sampleRate: 11_025 }],
  ['mp3', { sampleRate: 24_000, channels: 1, bitrate: 144_000 }],
  ['mp3', { sampleRate: 48_000, channels: 2, bitrate: 320_000 }],
  ['aac', { sampleRate: 8_000, channels: 1 }],
  ['aac', { sampleRate: 16_000, bitrate: 16_000 }],
  ['aac', { sampleRate: 64_000, channels: 2, bitrate: 512_000 }],
  ['aac', { sampleRate: 96_000 }],
  ['ogg', { sampleRate: 8_000, channels: 1 }],
  ['ogg', { sampleRate: 8_000, channels: 2, bitrate: 84_000 }],
  ['ogg', { sampleRate: 22_050, channels: 2, bitrate: 30_000 }],
  ['ogg', { sampleRate: 48_000, bitrate: 128_000 }],
  ['ogg', { sampleRate: 192_000, bitrate: 200_000 }],
  ['wav', { sampleRate: 1_000, channels: 1, bitDepth: 16 }],
  ['wav', { sampleRate: 44_100, bitDepth: 24 }],
  ['wav', { sampleRate: 192_000, channels: 2 }],
  ['flac', { sampleRate: 1_000, channels: 1, bitDepth: 24 }],
  ['flac', { sampleRate: 44_100, bitDepth: 24 }],
  ['flac', { sampleRate: 12_345, bitDepth: 16 }],
  ['flac', { sampleRate: 192_000, channels: 2, bitDepth: 16 }],
];

describe('every format at low and high rates', () => {
  // Each case uses one of the sources and one of the cuts, in turn.
  for (const [n, [outputFormat, encoding]] of CASES.entries()) {
    // Covers C-7.3 C-7.4 C-7.5 C-7.6 C-7.7 C-7.9
    test(`${outputFormat} ${JSON.stringify(encoding)}`, async () => {
      const [source, rate, sourceChannels] =
        n % 2 === 0 ? ([sources.stereo, 44_100, 2] as const) : ([sources.mono, 32_000, 1] as const);
      const cut = Math.floor(n / 2) % 2 === 0 ? BY_DURATION : BY_SIZE;
      await using run = await runConversion(source, {
        cut,
        outputFormat,
        encoding,
      });
      const { sampleRate = rate, channels = sourceChannels } = encoding;
      assert.equal(run.result.sourceSampleCount, SECONDS * rate);
      assert.equal(run.result.outputFormat, outputFormat);
      let next = 0;
      for (const { path, startSample, sampleCount, sampleRateHz, sizeBytes } of run.segments) {
        assert.equal(startSample, next);
        next += sampleCount;
        assert.equal(sampleRateHz, sampleRate);
        if (cut === BY_SIZE) assert.ok(sizeBytes <= cut.maxFileSizeBytes);
        const { pcm, description } = await samples.describe(path);
        assert.match(
          description,
          new RegExp(`, ${sampleRate} Hz, ${channels === 1 ? 'mono' : 'stereo|2 ch'}`),
        );
        if (encoding.bitDepth !== undefined)
          assert.match(description, encoding.bitDepth === 16 ? /, s16/ : /, s32 \(24 bit\)/);
        if (outputFormat === 'mp3' && encoding.bitrate !== undefined)
          assert.match(description, new RegExp(`, ${encoding.bitrate / 1_000} kb/s`));
        // This old decoder plays the last Vorbis block in full; the engine itself has checked the last page.
        const surplus = pcm.length / 4 / channels - sampleCount;
        assert.ok(surplus === 0 || (outputFormat === 'ogg' && surplus > 0 && surplus < 1_024), `${surplus}`);
      }
      assert.equal(next, Math.round(SECONDS * sampleRate));
      if (cut === BY_DURATION) assert.equal(run.segments.length, 3);
    });
  }
});

test('segments at another rate join as if the source had been converted as a whole', async () => {
  for (const outputFormat of ['wav', 'flac'] as const) {
    for (const encoding of [
      { sampleRate: 32_000, channels: 1 },
      { sampleRate: 96_000, bitDepth: 24 },
    ]) {
      const asked = { outputFormat, encoding, gainDb: -3 };
      await using whole = await runConversion(sources.stereo, {
        ...asked,
        cut: { mode: 'duration', segmentDurationSeconds: 60 },
      });
      for (const cut of [BY_DURATION, BY_SIZE]) {
        await using cutUp = await runConversion(sources.stereo, { ...asked, cut });
        assert.ok(cutUp.segments.length > 1);
        assert.ok(
          (await decodeJoined(cutUp.segments, 's24le')).equals(await decodeJoined(whole.segments, 's24le')),
        );
      }
    }
  }
});

// Covers C-7.8
test('the encoders support everything in the table of encodings', async () => {
  const rates = [
    8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
  ];
  const bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320];
  const asked = fc.record({
    outputFormat: fc.constantFrom(...OUTPUT_FORMATS),
    sampleRate: fc.oneof(fc.constantFrom(...rates), fc.integer({ min: 1_000, max: 192_000 })),
    channels: fc.constantFrom(1, 2),
    bitrate: fc.oneof(
      fc.constantFrom(undefined, ...bitrates.map((kilobits) => kilobits * 1_000)),
      fc.integer({ min: 16_000, max: 512_000 }),
    ),
    bitDepth: fc.constantFrom(undefined, 16, 24),
  });
  const short = await readFile(await samples.make('short.wav', sound(44_100, 0.4, 'stereo')));
  const allowed = asked
    .map(({ outputFormat, sampleRate, channels, bitrate, bitDepth }) => ({
      outputFormat,
      encoding: {
        sampleRate,
        channels,
        ...(bitrate === undefined || outputFormat === 'wav' || outputFormat === 'flac' ? {} : { bitrate }),
        ...(bitDepth === undefined || (outputFormat !== 'wav' && outputFormat !== 'flac')
          ? {}
          : { bitDepth }),
      },
    }))
    .filter(({ outputFormat, encoding }) => checkEncoding(outputFormat, encoding).length === 0);
  await fc.assert(
    fc.asyncProperty(allowed, async ({ outputFormat, encoding }) => {
      // Only the encoder's own limit goes beyond the table (RFC 9639 9.1.2).
      fc.pre(outputFormat !== 'flac' || encoding.sampleRate <= 65_535 || encoding.sampleRate % 10 === 0);
      await using run = await runConversion(short, {
        cut: BY_DURATION,
        outputFormat,
        encoding,
      });
      const [segment] = run.segments;
      assert.equal(segment?.sampleCount, Math.round(0.4 * encoding.sampleRate));
    }),
    { numRuns: 25 },
  );
});

// Covers C-7.8
test('every rate works without a bitrate', async () => {
  const ofMp3 = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
  const rates: Readonly<Partial<Record<OutputFormat, readonly number[]>>> = {
    mp3: ofMp3,
    aac: [...ofMp3, 64_000, 88_200, 96_000],
    ogg: [8_000, 15_000, 60_000, 192_000],
  };
  const short = await readFile(await samples.make('tenth.wav', sound(44_100, 0.4, 'stereo')));
  for (const [outputFormat, each] of Object.entries(rates) as [OutputFormat, readonly number[]][])
    for (const sampleRate of each) {
      await using run = await runConversion(short, {
        cut: BY_DURATION,
        outputFormat,
        encoding: { sampleRate },
      });
      assert.equal(run.segments[0]?.sampleRateHz, sampleRate);
    }
});

// Covers C-7.12
test('a gain is rounded once, to the depth of the output, and identical in every segment', async () => {
  const source = Buffer.from(sources.stereo.subarray(sources.stereo.indexOf('data') + 8));
  for (const gainDb of [-7.3, 4.5]) {
    await using run = await runConversion(sources.stereo, {
      cut: BY_DURATION,
      outputFormat: 'flac',
      encoding: { bitDepth: 24, loudness: { target: -20 } },
      gainDb,
    });
    const louder = await decodeJoined(run.segments, 's24le');
    assert.equal(louder.length, (source.length / 2) * 3);
    for (let at = 0; at < source.length; at += 2) {
      const exact = source.readInt16LE(at) * 256 * 10 ** (gainDb / 20);
      const expected = Math.max(-(2 ** 23), Math.min(2 ** 23 - 1, exact));
      const difference = louder.readIntLE((at / 2) * 3, 3) - expected;
      assert.ok(Math.abs(difference) <= 1, `sample ${at / 2} is off by ${difference}`);
    }
  }
});

test('a gain reaches a lossy encoder as floats, not clipped at full scale', async () => {
  await using run = await runConversion(sources.stereo, {
    cut: BY_DURATION,
    outputFormat: 'ogg',
    encoding: { bitrate: 256_000 },
    gainDb: 30,
  });
  const decoded = await decodeJoined(run.segments, 'f32le');
  const floats = new Float32Array(decoded.buffer, decoded.byteOffset, decoded.length / 4);
  assert.ok(floats.some((value) => Math.abs(value) > 1.2));
});

test('a source of one channel keeps its level in two, and one of two equal channels in one', async () => {
  const asked = { cut: BY_DURATION, outputFormat: 'wav' } as const;
  await using twice = await runConversion(sources.mono, { ...asked, encoding: { channels: 2 } });
  const pairs = await decodeJoined(twice.segments, 's16le');
  const single = await decodeFile(`${samples.dir}/mono.flac`, 's16le');
  assert.equal(pairs.length, 2 * single.length);
  for (let at = 0; at < single.length; at += 2) {
    assert.equal(pairs.readInt16LE(2 * at), single.readInt16LE(at));
    assert.equal(pairs.readInt16LE(2 * at + 2), single.readInt16LE(at));
  }
  const equal = await samples.make(
    'equal.wav',
    sound(32_000, SECONDS, 'mono'),
    '-af',
    'pan=stereo|c0=c0|c1=c0',
  );
  await using once = await runConversion(await readFile(equal), { ...asked, encoding: { channels: 1 } });
  assert.ok((await decodeJoined(once.segments, 's16le')).equals(single));
});

test('a source in pieces and one with raw samples also pass through the filters', async () => {
  const path = `${samples.dir}/mono.flac`;
  for (const encoding of [{ channels: 2 }, { bitDepth: 24 }]) {
    await using run = await runConversion(sources.mono, {
      cut: BY_DURATION,
      outputFormat: 'flac',
      encoding,
      gainDb: -6,
      file: { path, sizeBytes: sources.mono.length },
    });
    const [first] = run.segments;
    const { description } = await samples.describe(first?.path ?? '');
    assert.match(description, encoding.channels === 2 ? /stereo, s16/ : /mono, s32 \(24 bit\)/);
  }
});

test('more than two channels are mixed without exceeding full scale', async () => {
  const path = await samples.make(
    'loud.wav',
    sound(32_000, 1.5, '5.1'),
    '-af',
    'volume=20dB',
    '-c:a',
    'pcm_f32le',
  );
  for (const channels of [1, 2]) {
    await using run = await runConversion(await readFile(path), {
      cut: BY_DURATION,
      outputFormat: 'wav',
      encoding: { channels },
    });
    const decoded = await decodeJoined(run.segments, 'f32le');
    const floats = new Float32Array(
      decoded.buffer.slice(decoded.byteOffset, decoded.byteOffset + decoded.length),
    );
    const sourceBytes = await decodeFile(path, 'f32le');
    const source = new Float32Array(
      sourceBytes.buffer.slice(sourceBytes.byteOffset, sourceBytes.byteOffset + sourceBytes.length),
    );
    assert.equal(floats.length, (source.length / 6) * channels);
    const peak = (values: Float32Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    assert.ok(peak(floats) <= peak(source) + 1e-6, `${peak(floats)} of ${peak(source)}`);
    assert.ok(peak(floats) > 0.1 * peak(source));
  }
});

test('the depth is reduced by rounding', async () => {
  const deep = await samples.make('deep.wav', sound(44_100, 1, 'mono'), '-c:a', 'pcm_s24le');
  const source = await decodeFile(deep, 's24le');
  await using run = await runConversion(await readFile(deep), {
    cut: BY_DURATION,
    outputFormat: 'wav',
    encoding: { bitDepth: 16 },
  });
  const reduced = await decodeJoined(run.segments, 's16le');
  for (let at = 0; at < reduced.length; at += 2) {
    const difference = reduced.readInt16LE(at) - source.readIntLE((at / 2) * 3, 3) / 256;
    assert.ok(Math.abs(difference) <= 0.5, `sample ${at / 2} is off by ${difference}`);
  }
});

// Covers C-7.18 C-7.19 C-7.20
test('the preset sets mp3 for speech, and fields of the request take precedence', async () => {
  const asked = { cut: BY_DURATION, preset: 'speech' } as const;
  for (const [settings, extension, expected] of [
    [{}, 'mp3', /mp3, 16000 Hz, mono, [^,]+, 48 kb/],
    [{ encoding: { sampleRate: 24_000, channels: 2 } }, 'mp3', /mp3, 24000 Hz, stereo, [^,]+, 48 kb/],
    [{ outputFormat: 'aac' }, 'm4a', /aac \(LC\)[^,]*, 16000 Hz, mono/],
    [{ outputFormat: 'flac' }, 'flac', /flac, 16000 Hz, mono, s16/],
  ] as const) {
    await using run = await runConversion(sources.stereo, { ...asked, ...settings });
    assert.equal(run.segments.length, 3);
    for (const { path, extension: given } of run.segments) {
      assert.equal(given, extension);
      assert.match((await samples.describe(path)).description, expected);
    }
  }
});

// Covers C-7.2
test('without a format the source keeps its format, and is encoded again', async () => {
  for (const [name, args, expected] of [
    ['own.opus', ['-c:a', 'libopus'], /vorbis, 24000 Hz, mono/],
    ['own.aac', ['-c:a', 'aac'], /aac \(LC\)[^,]*, 24000 Hz, mono/],
    ['own.mp3', [], /mp3, 24000 Hz, mono/],
    ['own.wv', ['-c:a', 'wavpack', '-sample_fmt', 's16p'], /flac, 24000 Hz, mono/],
  ] as const) {
    const source = await readFile(await samples.make(name, sound(48_000, SECONDS, 'stereo'), ...args));
    await using run = await runConversion(source, {
      cut: BY_DURATION,
      encoding: { sampleRate: 24_000, channels: 1 },
    });
    for (const { path } of run.segments) assert.match((await samples.describe(path)).description, expected);
  }
});

// Covers C-7.17
test("an option that the source's format does not support fails with ENCODING_UNSUPPORTED, which names the supported ones", async () => {
  for (const [source, outputFormat, encoding, expected] of [
    [sources.stereo, undefined, { bitrate: 128_000 }, /bitrate cannot be chosen for wav/],
    [sources.mono, undefined, { sampleRate: 65_537 }, /multiple of 10/],
    [sources.mono, undefined, { bitDepth: 32 }, /bitDepth must be 16 or 24 bits for flac/],
    [sources.mono, 'mp3', { bitrate: 8_000 }, /32,000, 40,000.* for mp3 at 32,000 Hz/],
    [sources.mono, 'ogg', { bitrate: 200_000 }, /30,000 to 190,000 .* ogg at 32,000 Hz with 1 channel\./],
    [sources.mono, 'ogg', { bitrate: 16_000, channels: 2 }, /36,000 to 380,000 .* with 2 channels\./],
    [
      sources.stereo,
      'ogg',
      { bitrate: 96_000, sampleRate: 8_000 },
      /16,000 to 84,000 .* at 8,000 Hz with 2 /,
    ],
  ] as const) {
    await assert.rejects(
      runConversion(source, { cut: BY_DURATION, outputFormat, encoding }),
      (error) =>
        error instanceof MediaError &&
        error.failure === 'ENCODING_UNSUPPORTED' &&
        expected.test(error.message),
    );
  }
});
