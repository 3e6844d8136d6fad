import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DecodeRequest,
  decodeArgv,
  decodeWindowArgv,
  encodeArgv,
  isolateArgv,
  listArgv,
  measureLoudnessArgv,
  remuxArgv,
} from './argv.ts';
import { DECODERS, DEMUXERS } from './demuxers.ts';

const NETWORK_OR_PLAYLIST =
  /^(hls|applehttp|concat|dash|rtsp|rtp|sdp|sap|image2|lavfi|ffmetadata|tee|webm_dash_manifest)$/;

function optionsBeforeInput(argv: readonly string[]): Map<string, string> {
  const before = argv.slice(0, argv.indexOf('-i'));
  return new Map(before.map((value, index) => [value, before[index + 1] ?? '']));
}

test('every decode, remux and list names its demuxer, and allows only that one and the protocol of its input', () => {
  const containers = Object.keys(DEMUXERS) as DecodeRequest['container'][];
  const inputs = containers.flatMap((container) => [
    { container, sourceName: 'source' },
    { container, sourceName: undefined },
  ]);
  for (const { container, sourceName } of inputs) {
    for (const argv of [
      decodeArgv({ container, sourceName, format: 's16le', sideOutput: 'tags' }),
      remuxArgv({ container, sourceName }),
      listArgv({ container, sourceName }),
      isolateArgv({ container, sourceName }, { index: 1, muxer: 'matroska', encoder: 'copy' }),
    ]) {
      const options = optionsBeforeInput(argv);
      const input = argv[argv.indexOf('-i') + 1];
      assert.equal(options.get('-f'), DEMUXERS[container]);
      assert.equal(options.get('-format_whitelist'), DEMUXERS[container]);
      assert.equal(options.get('-protocol_whitelist'), input === 'pipe:0' ? 'pipe' : 'file');
      assert.equal(input, sourceName === undefined ? 'pipe:0' : 'file:source');
      assert.doesNotMatch(DEMUXERS[container], NETWORK_OR_PLAYLIST);
      assert.ok(argv.includes('-nostdin'));
      // Every option set with an output maps one stream to it.
      const maps = argv.flatMap((option, at) => (option === '-map' ? [argv[at + 1]] : []));
      assert.ok(maps.every((stream) => stream?.startsWith('0:a:')));
      assert.equal(maps.length === 0, argv.at(-1) === input);
    }
  }
});

test('no video decoder may be opened', () => {
  assert.doesNotMatch(DECODERS, /h264|hevc|vp[89]|mpeg4|mjpeg|png|gif/);
});

test('a tag is one argument, with any content', () => {
  const argv = encodeArgv({
    pcm: { format: 's16le', sampleRateHz: 8_000, channelCount: 1 },
    encoderArgs: ['-c:a', 'flac'],
    muxer: 'flac',
    tags: new Map([['title', '-i /etc/passwd; $(x)']]),
    outputName: 'x.flac',
    isWatched: false,
  });
  assert.equal(argv[argv.indexOf('-metadata') + 1], 'title=-i /etc/passwd; $(x)');
  assert.equal(argv.at(-1), 'file:x.flac');
  assert.ok(!argv.includes('-progress'), 'nobody would empty the pipe');
});

test('a piece is read only from its file, by its demuxer and without a video decoder', () => {
  const argv = encodeArgv({
    pcm: { format: 's16le', sampleRateHz: 44_100, channelCount: 2 },
    piece: { container: 'flac', name: 'pieces/segment-00000.flac' },
    encoderArgs: ['-c:a', 'libvorbis'],
    muxer: 'ogg',
    tags: new Map(),
    outputName: 'x.ogg',
    isWatched: true,
  });
  const options = optionsBeforeInput(argv);
  assert.equal(options.get('-progress'), 'pipe:3');
  assert.equal(argv[argv.indexOf('-i') + 1], 'file:pieces/segment-00000.flac');
  assert.equal(options.get('-f'), 'flac');
  assert.equal(options.get('-format_whitelist'), 'flac');
  assert.equal(options.get('-protocol_whitelist'), 'file');
  assert.equal(options.get('-codec_whitelist'), DECODERS);
  for (const flag of ['-nostdin', '-vn', '-sn', '-dn']) assert.ok(argv.includes(flag));
});

test('a stretch is read only from its file, from its exact start', () => {
  const request = { container: 'ogg', path: '/uploads/a:b', format: 'f32le' } as const;
  const argv = decodeWindowArgv({ ...request, fromSeconds: 12.5, toSeconds: 20 });
  const options = optionsBeforeInput(argv);
  assert.equal(argv[argv.indexOf('-i') + 1], 'file:/uploads/a:b');
  assert.equal(options.get('-f'), 'ogg');
  assert.equal(options.get('-format_whitelist'), 'ogg');
  assert.equal(options.get('-protocol_whitelist'), 'file');
  assert.equal(options.get('-codec_whitelist'), DECODERS);
  assert.equal(options.get('-ss'), '12.500000');
  assert.equal(options.get('-t'), '7.500000');
  const first = optionsBeforeInput(decodeWindowArgv({ ...request, fromSeconds: 0, toSeconds: 1 }));
  assert.ok(!first.has('-ss'), 'a full decode has none either');
});

test('loudness is measured on stdin, and nothing is written', () => {
  const argv = measureLoudnessArgv({ format: 's24le', sampleRateHz: 44_100, channelCount: 2 });
  const options = optionsBeforeInput(argv);
  assert.equal(options.get('-protocol_whitelist'), 'pipe');
  assert.equal(options.get('-format_whitelist'), 's24le');
  assert.deepEqual(argv.slice(-3), ['-f', 'null', '-']);
});
