import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactPcmFormat, parseAudioStream } from './stream-info.ts';

const cases = [
  [
    '    Stream #0:0: Audio: pcm_s24le ([1][0][0][0] / 0x0001), 48000 Hz, stereo, s32 (24 bit), 2304 kb/s',
    'pcm_s24le',
    's24le',
  ],
  [
    '    Stream #0:0(und): Audio: alac (alac / 0x63616C61), 44100 Hz, stereo, s16p, 498 kb/s (default)',
    'alac',
    's16le',
  ],
  ['  Stream #0:0[0x1](und): Audio: flac, 96000 Hz, stereo, s32', 'flac', 's32le'],
  [
    '    Stream #0:1(und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, 5.1, fltp, 69 kb/s',
    'aac',
    undefined,
  ],
  [
    '    Stream #0:0: Audio: pcm_u8 ([1][0][0][0] / 0x0001), 8000 Hz, 1 channels, u8, 64 kb/s',
    'pcm_u8',
    'u8',
  ],
  ['    Stream #0:0: Audio: pcm_f32le, 48000 Hz, mono, flt, 1536 kb/s', 'pcm_f32le', 'f32le'],
] as const;

test('codec and exact sample format are read off the first audio stream', () => {
  for (const [line, codec, format] of cases) {
    const stream = parseAudioStream(`Input #0\n    Stream #0:9: Video: h264\n${line}\n`);
    assert.equal(stream?.codec, codec);
    assert.equal(stream && exactPcmFormat(stream), format);
  }
});

test('no audio stream is no stream', () => {
  assert.equal(parseAudioStream('    title           : Stream #0:0: Audio: flac\n'), undefined);
});
