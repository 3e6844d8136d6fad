import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exactPcmFormat,
  parseAudioStream,
  parseAudioStreams,
  parseEncodedSamples,
  parseEncodedSeconds,
} from './stream-info.ts';

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

test('codec and exact sample format are those of the first audio stream', () => {
  for (const [line, codec, format] of cases) {
    const stream = parseAudioStream(`Input #0\n    Stream #0:9: Video: h264\n${line}\n`);
    assert.equal(stream?.codec, codec);
    assert.equal(stream && exactPcmFormat(stream), format);
  }
});

test('a source without an audio stream has no stream', () => {
  assert.equal(parseAudioStream('    title           : Stream #0:0: Audio: flac\n'), undefined);
});

test('the number of encoded samples is the last one reported, not that of a tag', () => {
  const line =
    '  Output stream #0:0 (audio): 216 frames encoded (220500 samples); 217 packets muxed (100174 bytes); ';
  const tag = '    title           : Output stream #0:0 (audio): 1 frames encoded (1 samples)';
  assert.equal(parseEncodedSamples(`${tag}\n${line.replace('220500', '7')}\n${line}\n${tag}\n`), 220_500);
  assert.equal(parseEncodedSamples(`${tag}\n`), undefined);
});

test('progress is read from whole lines, under both names', () => {
  assert.equal(parseEncodedSeconds('out_time_us=1000000\nout_time_ms=1500000\nprogress=continue\n'), 1.5);
  assert.equal(parseEncodedSeconds('bitrate=N/A\nout_time_us=N/A\n'), undefined);
});

test('the audio streams of a source are listed with their languages, with any tags', () => {
  const stderr = [
    "Input #0, mpegts, from 'pipe:0':",
    '  Metadata:',
    '    title           : x',
    '                    : Stream #0:9(fra): Audio: mp3',
    '    Stream #0:0[0x100]: Video: h264, yuv420p',
    '    Stream #0:1[0x101](eng): Audio: aac (LC), 44100 Hz, mono, fltp (default)',
    '  Stream #0:2: Audio: ac3, 48000 Hz',
    '',
  ].join('\n');
  assert.deepEqual(parseAudioStreams(stderr), [
    { streamIndex: 1, language: 'eng', codec: 'aac' },
    { streamIndex: 2, language: undefined, codec: 'ac3' },
  ]);
});
