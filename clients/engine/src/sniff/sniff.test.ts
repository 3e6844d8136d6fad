import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { MediaError } from '../media-error.ts';
import { createSilentApe } from '../testing/ape-files.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { createDff, createDsf } from '../testing/dsd-files.ts';
import { FORMAT_CORPUS, makeCorpusFile } from '../testing/format-corpus.ts';
import { bytesToSniff, MAX_ID3_BYTES, sniff } from './sniff.ts';

const samples = forSuite(createAudioSamples);

test('real files are recognized by their content', async () => {
  for (const file of FORMAT_CORPUS) {
    const found = sniff(await makeCorpusFile(samples, file));
    assert.deepEqual([found.container, found.codec], [file.container, file.codec], file.name);
  }
});

// Covers C-6.9
test('formats that few encoders write are recognized by their magic bytes', () => {
  const wavpack = (flags: number): Buffer => {
    const block = Buffer.alloc(32);
    block.write('wvpk');
    block.writeUInt32LE(flags >>> 0, 24);
    return block;
  };
  const tone = {
    bitRateHz: 2_822_400,
    channelCount: 2,
    bitCount: 80_000,
    toneHz: 441,
    amplitude: 0.4,
  } as const;
  for (const [container, bytes] of [
    ['dsf', createDsf(tone)],
    ['dff', createDff(tone)],
    ['ape', createSilentApe({ sampleRateHz: 44_100, channelCount: 2, bits: 16, sampleCount: 100 })],
    ['musepack7', Buffer.from('MP+\u0007', 'latin1')],
    ['musepack7', Buffer.from('MP+\u0017', 'latin1')],
    ['musepack8', Buffer.from('MPCKSH')],
    ['wavpack', wavpack((9 << 23) | 0x1800)],
    ['uncommon-wavpack', wavpack((15 << 23) | 0x1800)],
    ['uncommon-wavpack', wavpack((9 << 23) | 0x0800)],
  ] as const)
    assert.equal(sniff(bytes).container, container);
  for (const bytes of ['DSD without a format', 'FRM8 of another form', 'MP+ '])
    assert.throws(() => sniff(Buffer.from(bytes)), MediaError);
});

test('an mp3 is found after ID3 tags and after junk, and its tag counts towards the bytes needed', async () => {
  const mp3 = await readFile(
    await samples.make('plain.mp3', sound(44_100, 0.4, 'stereo'), '-id3v2_version', '0', '-write_xing', '0'),
  );
  const tag = Buffer.concat([
    Buffer.from('ID3\u0004\0\0', 'latin1'),
    Buffer.from([0, 8, 0, 0]),
    Buffer.alloc(8 * 128 * 128),
  ]);
  assert.equal(bytesToSniff(tag.subarray(0, 10)), tag.length + 64 * 1024);
  assert.equal(sniff(Buffer.concat([tag, mp3])).container, 'mp3');
  assert.equal(sniff(Buffer.concat([Buffer.alloc(500, 0x20), mp3])).container, 'mp3');
});

const refused: readonly [what: string, content: string | Uint8Array, message: RegExp][] = [
  ['nothing', '', /empty/],
  ['zeros', new Uint8Array(100_000), /zeros/],
  ['a web page', '<!DOCTYPE html><html><body>Not found</body></html>', /web page/],
  ['an HLS playlist', '#EXTM3U\n#EXTINF:120,\nfile:///etc/passwd\n', /playlist/],
  ['a byte order mark and a playlist', '\u00ef\u00bb\u00bf\n#EXTM3U\n', /playlist/],
  ['a concat script', 'ffconcat version 1.0\nfile other.mp3\n', /playlist/],
  ['a DASH manifest', '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>', /XML/],
  ['a session description', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n', /session description/],
  ['a zip', 'PK\u0003\u0004rest', /archive/],
  ['a gzip', '\u001f\u008b\u0008', /archive/],
  ['a JPEG', '\u00ff\u00d8\u00ff\u00e0', /image/],
  ['a PNG', '\u0089PNG\r\n', /image/],
  ['text', 'Dear Sir or Madam, '.repeat(5_000), /not audio/],
  ['an au file whose audio begins gigabytes later', `.snd\u005bplay${'x'.repeat(100)}`, /not audio/],
  ['an au file whose audio begins in its header', `.snd\0\0\0\u0017${'x'.repeat(100)}`, /not audio/],
  ['one lone frame header', '\u00ff\u00fb\u0090\u0000', /not audio/],
];

test('data that is not audio is rejected with a sentence that names its probable type', () => {
  for (const [what, content, message] of refused) {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    assert.throws(
      () => sniff(bytes),
      (error) =>
        error instanceof MediaError && error.failure === 'UNSUPPORTED_MEDIA' && message.test(error.message),
      what,
    );
  }
});

test('pseudo-random bytes are never recognized as frames', () => {
  let state = 1;
  const bytes = Uint8Array.from({ length: 1_000_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
  for (let start = 0; start < bytes.length; start += 65_536) {
    assert.throws(() => sniff(bytes.subarray(start, start + 65_536)), MediaError);
  }
});

test('a tag that claims an enormous size is rejected without waiting for it', () => {
  const head = Buffer.from('ID3\u0003\0\0\u007f\u007f\u007f\u007f', 'latin1');
  assert.ok(bytesToSniff(head) <= MAX_ID3_BYTES + 64 * 1024);
  assert.throws(() => sniff(head), /ID3 tag/);
});
