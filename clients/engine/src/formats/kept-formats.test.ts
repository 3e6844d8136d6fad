/** The format of a source's segments with and without a requested format, including file name and type. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { startSplit } from '../testing/split-run.ts';

const samples = forSuite(createAudioSamples);

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.subarray(at, at + text.length).equals(Buffer.from(text));

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=3', '-c:v', 'libx264'];

for (const [what, file, args, expected, isSo] of [
  // Covers D-2.24
  [
    'ADTS',
    's.aac',
    ['-c:a', 'aac'],
    ['aac', 'aac', 'audio/aac'],
    (bytes: Buffer) => bytes.readUInt16BE(0) >> 4 === 0xfff,
  ],
  // Covers D-2.26
  [
    'Opus',
    's.opus',
    ['-c:a', 'libopus'],
    ['ogg', 'opus', 'audio/ogg'],
    (bytes: Buffer) => startsWith(bytes, 'OpusHead', 28),
  ],
  [
    'Opus in WebM',
    's.webm',
    ['-c:a', 'libopus'],
    ['ogg', 'opus', 'audio/ogg'],
    (bytes: Buffer) => startsWith(bytes, 'OpusHead', 28),
  ],
  [
    'Opus in CAF',
    's.caf',
    ['-c:a', 'libopus'],
    ['ogg', 'opus', 'audio/ogg'],
    (bytes: Buffer) => startsWith(bytes, 'OpusHead', 28),
  ],
  [
    'Vorbis in Matroska',
    's.mka',
    ['-c:a', 'libvorbis'],
    ['ogg', 'ogg', 'audio/ogg'],
    (bytes: Buffer) => startsWith(bytes, '\x01vorbis', 28),
  ],
  [
    'FLAC in Ogg',
    's.oga',
    ['-c:a', 'flac'],
    ['flac', 'flac', 'audio/flac'],
    (bytes: Buffer) => startsWith(bytes, 'fLaC'),
  ],
  // Covers D-2.25
  [
    'Vorbis',
    's.ogg',
    ['-c:a', 'libvorbis'],
    ['ogg', 'ogg', 'audio/ogg'],
    (bytes: Buffer) => startsWith(bytes, '\x01vorbis', 28),
  ],
  [
    'AAC behind pictures in MP4',
    'v.mp4',
    [...PICTURES, '-c:a', 'aac', '-movflags', '+faststart'],
    ['aac', 'm4a', 'audio/mp4'],
    (bytes: Buffer) => startsWith(bytes, 'ftyp', 4) && !bytes.includes('vide'),
  ],
  // Covers D-2.23
  [
    'AAC in MP4',
    's.m4a',
    ['-c:a', 'aac'],
    ['aac', 'm4a', 'audio/mp4'],
    (bytes: Buffer) => startsWith(bytes, 'ftyp', 4),
  ],
] as const) {
  // Covers C-6.12 C-6.13
  test(`${what} stays ${what} if no format is requested`, async () => {
    const source = await readFile(await samples.make(file, sound(48_000, 3, 'stereo'), ...args));
    await using run = await startSplit(source, {
      // Copied: nothing is decoded.
      ffmpegPath: '/nonexistent/ffmpeg',
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
    });
    const { outputFormat } = await run.outcome;
    assert.ok(run.segments.length >= 3);
    for (const { extension, contentType, path } of run.segments) {
      assert.deepEqual([outputFormat, extension, contentType], expected);
      assert.ok(isSo(await readFile(path)), path);
    }
  });
}

for (const name of ['he-aac-v1', 'he-aac-v2']) {
  // Covers D-2.23 C-6.15
  test(`${name} in MP4 is kept if no format or aac is requested`, async () => {
    const source = await readFile(join(import.meta.dirname, '../../suites/golden/he-aac', `${name}.m4a`));
    for (const outputFormat of [undefined, 'aac'] as const) {
      await using run = await startSplit(source, {
        // Copied: nothing is decoded.
        ffmpegPath: '/nonexistent/ffmpeg',
        cut: { mode: 'duration', segmentDurationSeconds: 1 },
        ...(outputFormat === undefined ? {} : { outputFormat }),
      });
      const result = await run.outcome;
      assert.equal(result.outputFormat, 'aac');
      // Four seconds plus the encoder's delay.
      assert.equal(run.segments.length, 5);
      for (const { extension, contentType } of run.segments)
        assert.deepEqual([extension, contentType], ['m4a', 'audio/mp4']);
    }
  });
}

for (const [file, codec, outputFormat, extension, mark] of [
  ['s.opus', 'libopus', 'ogg', 'ogg', '\x01vorbis'],
  ['s.webm', 'libopus', 'ogg', 'ogg', '\x01vorbis'],
  ['s.caf', 'libopus', 'ogg', 'ogg', '\x01vorbis'],
  ['s.aac', 'aac', 'aac', 'm4a', 'ftyp'],
] as const) {
  test(`${file} becomes ${extension === 'ogg' ? 'Vorbis' : 'an MP4'} if ${outputFormat} is requested by name`, async () => {
    const source = await readFile(await samples.make(file, sound(48_000, 3, 'stereo'), '-c:a', codec));
    await using run = await startSplit(source, {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
      outputFormat,
    });
    assert.equal((await run.outcome).outputFormat, outputFormat);
    for (const segment of run.segments) {
      assert.equal(segment.extension, extension);
      assert.ok((await readFile(segment.path)).subarray(0, 64).includes(mark), segment.path);
    }
  });
}

for (const [codec, rateHz, channels, formatTag, bits] of [
  ['pcm_u8', 8_000, 1, 1, 8],
  ['pcm_s16le', 44_100, 2, 1, 16],
  ['pcm_s24le', 96_000, 2, 1, 24],
  ['pcm_f32le', 48_000, 1, 3, 32],
] as const) {
  // Covers D-9.27 C-6.15
  test(`a wav of ${codec} keeps rate, channels and sample format, whether wav or no format is requested`, async () => {
    const layout = channels === 1 ? 'mono' : 'stereo';
    const path = await samples.make(`${codec}.wav`, sound(rateHz, 2, layout), '-c:a', codec);
    const source = await readFile(path);
    for (const outputFormat of [undefined, 'wav'] as const) {
      await using run = await startSplit(source, {
        cut: { mode: 'duration', segmentDurationSeconds: 1 },
        ...(outputFormat === undefined ? {} : { outputFormat }),
      });
      await run.outcome;
      for (const segment of run.segments) {
        const bytes = await readFile(segment.path);
        const fmt = bytes.indexOf('fmt ') + 8;
        // 0xfffe: the tag is in the first bytes of the sub-format.
        const tag =
          bytes.readUInt16LE(fmt) === 0xfffe ? bytes.readUInt16LE(fmt + 24) : bytes.readUInt16LE(fmt);
        assert.deepEqual(
          [tag, bytes.readUInt16LE(fmt + 2), bytes.readUInt32LE(fmt + 4), bytes.readUInt16LE(fmt + 14)],
          [formatTag, channels, rateHz, bits],
        );
      }
    }
  });
}
