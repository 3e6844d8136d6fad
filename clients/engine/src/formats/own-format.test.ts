/**
 * The format of segments without a requested format: the source's codec decides, and lossless stays lossless.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile, decodeJoined } from '../copy/testing/ffmpeg.ts';
import type { AudioStreamInfo } from '../ffmpeg/stream-info.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { startSplit } from '../testing/split-run.ts';
import { ownEncoding } from './own-format.ts';

const samples = forSuite(createAudioSamples);

const MOV = ['-movflags', '+faststart'];
const LOSSLESS: readonly (readonly [name: string, bits: number, args: readonly string[]])[] = [
  ['flac-16.ogg', 16, ['-c:a', 'flac', '-sample_fmt', 's16']],
  ['flac-24.oga', 24, ['-c:a', 'flac', '-sample_fmt', 's32']],
  ['flac-16.mka', 16, ['-c:a', 'flac', '-sample_fmt', 's16']],
  ['wavpack-16.wv', 16, ['-c:a', 'wavpack', '-sample_fmt', 's16p']],
  ['wavpack-24.wv', 24, ['-c:a', 'wavpack', '-sample_fmt', 's32p']],
  ['tta-16.tta', 16, ['-c:a', 'tta', '-sample_fmt', 's16']],
  ['tta-24.tta', 24, ['-c:a', 'tta', '-sample_fmt', 's32']],
  ['alac-16.m4a', 16, ['-c:a', 'alac', '-sample_fmt', 's16p', ...MOV]],
  ['alac-24.m4a', 24, ['-c:a', 'alac', '-sample_fmt', 's32p']],
  ['alac-16.caf', 16, ['-c:a', 'alac', '-sample_fmt', 's16p']],
];

describe('lossless sources become flac, sample for sample', () => {
  for (const [name, bits, args] of LOSSLESS) {
    for (const cut of [
      { mode: 'duration', segmentDurationSeconds: 1 },
      { mode: 'fileSize', maxFileSizeBytes: 150_000 },
    ] as const) {
      // Covers C-6.14 C-6.16
      test(`${name}, cut by ${cut.mode}`, async () => {
        const path = await samples.make(name, sound(44_100, 2.7, 'stereo'), ...args);
        await using run = await startSplit(await readFile(path), { cut });
        const { outputFormat } = await run.outcome;
        assert.equal(outputFormat, 'flac');
        assert.ok(run.segments.length >= 2);
        for (const { path: segment, extension, contentType } of run.segments) {
          assert.deepEqual([extension, contentType], ['flac', 'audio/flac']);
          const bytes = await readFile(segment);
          const packed = bytes.readUInt32BE(18);
          assert.deepEqual(
            [packed >>> 12, ((packed >>> 9) & 7) + 1, ((packed >>> 4) & 31) + 1],
            [44_100, 2, bits],
          );
        }
        assert.ok((await decodeJoined(run.segments, 's32le')).equals(await decodeFile(path, 's32le')));
      });
    }
  }

  // Covers C-6.16
  test('sources that FLAC cannot represent exactly become wav, sample for sample', async () => {
    const args = ['-c:a', 'wavpack', '-sample_fmt', 'fltp'];
    const path = await samples.make('wavpack-float.wv', sound(44_100, 2.7, 'stereo'), ...args);
    await using run = await startSplit(await readFile(path), {
      cut: { mode: 'duration', segmentDurationSeconds: 1 },
    });
    assert.equal((await run.outcome).outputFormat, 'wav');
    assert.ok((await decodeJoined(run.segments, 'f32le')).equals(await decodeFile(path, 'f32le')));
  });
});

// Covers C-6.9 C-6.14 C-6.15 C-6.16
test('the output format follows the codec name of ffmpeg', () => {
  const stream = (codec: string, sampleFormat = 's16', significantBits?: number): AudioStreamInfo => ({
    codec,
    sampleFormat,
    significantBits,
  });
  for (const [container, info, name] of [
    ['ape', stream('ape'), 'flac'],
    ['ape', stream('ape', 's32'), 'flac'],
    ['musepack8', stream('musepack8', 's16'), 'mp3'],
    ['dsf', stream('dsd_lsbf_planar', 'flt'), 'flac'],
    ['dff', stream('dst', 'flt'), 'flac'],
    ['matroska', stream('dts', 's32', 24), 'flac'],
    ['matroska', stream('dts', 'flt'), 'mp3'],
    ['matroska', stream('alac', 's32', 24), 'flac'],
    ['mpegts', stream('aac_latm', 'flt'), 'm4a'],
    ['aiff', stream('pcm_s24be', 's32', 24), 'wav'],
    ['au', stream('pcm_mulaw'), 'wav'],
    ['asf', stream('wmalossless'), 'flac'],
    ['asf', stream('wmalossless', 's32', 24), 'flac'],
    ['asf', stream('wmav2', 'flt'), 'mp3'],
    ['matroska', stream('truehd', 's32', 24), 'flac'],
    ['tta', stream('tta', 'u8'), 'flac'],
    ['wavpack', stream('wavpack', 's32'), 'wav'],
    ['wavpack', stream('wavpack', 'flt'), 'wav'],
    ['matroska', stream('opus', 'flt'), 'opus'],
    ['caf', stream('opus', 'flt'), 'opus'],
    ['matroska', stream('vorbis', 'flt'), 'ogg'],
    ['matroska', stream('aac', 'flt'), 'm4a'],
    ['matroska', stream('pcm_s16le'), 'wav'],
    ['wav', stream('adpcm_ms'), 'wav'],
    ['ogg', stream('speex', 'flt'), 'ogg'],
    ['ogg', stream('flac'), 'flac'],
    ['amr', stream('amrnb', 'flt'), 'mp3'],
  ] as const) {
    const source = { stream: info, sampleRateHz: 44_100, channelCount: 2 };
    assert.equal(ownEncoding(container, source).name, name, `${info.codec} in ${container}`);
  }
  const tall = { stream: stream('wavpack'), sampleRateHz: 768_000, channelCount: 2 };
  assert.equal(ownEncoding('wavpack', tall).name, 'wav');
  assert.equal(ownEncoding('wavpack', { ...tall, sampleRateHz: 48_000, channelCount: 12 }).name, 'wav');
});
