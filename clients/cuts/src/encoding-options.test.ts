import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applyPreset,
  checkEncoding,
  type EncodedFormat,
  type RequestedEncoding,
  soundOptions,
} from './encoding-options.ts';

const faultsOf = (format: EncodedFormat, options: RequestedEncoding) =>
  checkEncoding(format, options).map(({ field }) => field);

// Covers C-7.3 C-7.4
test('every format has its sample rates', () => {
  const ofMp3 = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
  const ofAac = [...ofMp3, 64_000, 88_200, 96_000];
  const others = [1_000, 7_350, 18_900, 37_800, 44_056, 50_000, 65_530, 65_536, 128_000, 176_400, 192_000];
  const rates = [...ofAac, ...others].flatMap((rate) => [rate - 1, rate, rate + 1]).sort((a, b) => a - b);
  const taken = (format: EncodedFormat) =>
    rates.filter((sampleRate) => faultsOf(format, { sampleRate }).length === 0);
  assert.deepEqual(taken('mp3'), ofMp3);
  assert.deepEqual(taken('aac'), ofAac);
  assert.deepEqual(
    taken('ogg'),
    rates.filter((rate) => rate >= 8_000 && rate <= 192_000),
  );
  const lossless = rates.filter((rate) => rate >= 1_000 && rate <= 192_000);
  assert.deepEqual(taken('wav'), lossless);
  // RFC 9639 9.1.2: the rates that a frame header can state.
  assert.deepEqual(
    taken('flac'),
    lossless.filter((rate) => rate <= 65_535 || rate % 10 === 0),
  );
});

// Covers C-7.6
test('a bitrate of mp3 is a step of its rate', () => {
  const isTaken = (bitrate: number, sampleRate?: number) =>
    faultsOf('mp3', { bitrate, sampleRate }).length === 0;
  assert.ok(isTaken(320_000, 44_100) && !isTaken(144_000, 44_100) && !isTaken(8_000, 44_100));
  assert.ok(isTaken(144_000, 22_050) && isTaken(8_000, 22_050) && !isTaken(192_000, 22_050));
  assert.ok(isTaken(64_000, 8_000) && !isTaken(80_000, 8_000));
  assert.ok(isTaken(144_000) && isTaken(320_000) && !isTaken(100_000));
});

test('a bitrate of ogg is one that the encoder supports at its rate, for its channels', () => {
  const isTaken = (bitrate: number, sampleRate?: number, channels?: number) =>
    faultsOf('ogg', { bitrate, sampleRate, channels }).length === 0;
  const ends = (sampleRate: number | undefined, channels: number | undefined) =>
    [16_000, 29_999, 30_000, 36_000, 42_000, 45_000, 84_000, 190_000, 240_000, 380_000, 500_000].filter(
      (bitrate) => isTaken(bitrate, sampleRate, channels) !== isTaken(bitrate + 1_000, sampleRate, channels),
    );
  assert.deepEqual(ends(8_000, 1), [42_000]);
  assert.deepEqual(ends(8_000, 2), [84_000]);
  assert.deepEqual(ends(22_050, 2), [29_999]);
  assert.ok(!isTaken(29_999, 22_050, 2) && isTaken(30_000, 22_050, 2));
  assert.deepEqual(ends(32_000, 1), [29_999, 190_000]);
  assert.deepEqual(ends(32_000, 2), [380_000]);
  for (const sampleRate of [44_100, 48_000, 50_000, 96_000, 192_000]) {
    assert.deepEqual(ends(sampleRate, 1), [240_000]);
    assert.deepEqual(ends(sampleRate, 2), [500_000]);
    assert.ok(!isTaken(31_999, sampleRate, 1) && isTaken(32_000, sampleRate, 1));
    assert.ok(!isTaken(44_999, sampleRate, 2) && isTaken(45_000, sampleRate, 2));
  }
  // Where two modes meet, both apply.
  assert.ok(isTaken(16_000, 26_000, 1) && isTaken(190_000, 26_000, 1) && !isTaken(16_000, 26_001, 1));
});

test('a bitrate of aac is at most what its frames can hold, at its rate and for its channels', () => {
  const faultOf = (options: RequestedEncoding) => checkEncoding('aac', options)[0]?.message;
  assert.equal(faultOf({ bitrate: 264_600, sampleRate: 44_100, channels: 1 }), undefined);
  assert.equal(
    faultOf({ bitrate: 264_601, sampleRate: 44_100, channels: 1 }),
    'must be from 16,000 to 264,600 bits a second for aac at 44,100 Hz with 1 channel',
  );
  assert.equal(faultOf({ bitrate: 512_000, sampleRate: 44_100 }), undefined);
  assert.equal(faultOf({ bitrate: 512_000, channels: 1 }), undefined);
  assert.equal(
    faultOf({ bitrate: 400_000, sampleRate: 8_000 }),
    'must be from 16,000 to 384,000 bits a second for aac at 8,000 Hz',
  );
});

test('what the source decides is left to the splitter', () => {
  const faultOf = (options: RequestedEncoding) => checkEncoding('ogg', options)[0]?.message;
  assert.equal(faultOf({ bitrate: 84_000, sampleRate: 8_000 }), undefined);
  assert.equal(faultOf({ bitrate: 16_000, channels: 2 }), undefined);
  assert.equal(faultOf({ bitrate: 500_000 }), undefined);
  assert.equal(
    faultOf({ bitrate: 84_001, sampleRate: 8_000, channels: 2 }),
    'must be from 16,000 to 84,000 bits a second for ogg at 8,000 Hz with 2 channels',
  );
  assert.equal(
    faultOf({ bitrate: 240_001, channels: 1 }),
    'must be from 16,000 to 240,000 bits a second for ogg with 1 channel',
  );
  assert.equal(
    faultOf({ bitrate: 400_000, sampleRate: 8_000 }),
    'must be from 16,000 to 336,000 bits a second for ogg at 8,000 Hz',
  );
  assert.equal(faultOf({ bitrate: 500_001 }), 'must be from 16,000 to 500,000 bits a second for ogg');
});

// Covers C-7.7 C-7.9
test('bitrates belong to lossy formats, depths to lossless ones', () => {
  for (const format of ['wav', 'flac'] as const) {
    assert.deepEqual(faultsOf(format, { bitrate: 64_000, bitDepth: 24 }), ['bitrate']);
  }
  for (const format of ['mp3', 'ogg', 'aac'] as const) {
    assert.deepEqual(faultsOf(format, { bitrate: 64_000, bitDepth: 24, channels: 1 }), ['bitDepth']);
  }
  for (const bitDepth of [16, 24]) assert.deepEqual(faultsOf('wav', { bitDepth }), []);
  for (const [format, highest] of [
    ['aac', 512_000],
    ['ogg', 500_000],
  ] as const) {
    assert.deepEqual(
      [15_999, 16_000, highest, highest + 1].map((bitrate) => faultsOf(format, { bitrate }).length),
      [1, 0, 0, 1],
    );
  }
});

test('only flac has an MD5, which does not cause a new encoding', () => {
  for (const format of ['mp3', 'ogg', 'aac', 'wav'] as const) {
    assert.deepEqual(faultsOf(format, { md5: true }), ['md5']);
    assert.deepEqual(faultsOf(format, { md5: false }), []);
  }
  assert.deepEqual(faultsOf('flac', { md5: true }), []);
  assert.equal(soundOptions({ md5: true }), undefined);
  assert.deepEqual(soundOptions({ md5: true, channels: 1 }), { channels: 1 });
});

// Covers C-7.16
test('a rejection names what the format supports', () => {
  const [fault] = checkEncoding('mp3', { sampleRate: 96_000 });
  assert.match(fault?.message ?? '', /8,000, .* 44,100 or 48,000 Hz for mp3/);
  const [step] = checkEncoding('mp3', { bitrate: 100_000, sampleRate: 48_000 });
  assert.match(step?.message ?? '', /or 320,000 bits a second for mp3 at 48,000 Hz/);
});

// Covers C-7.18 C-7.19 C-7.20
test('the preset applies to fields that the request does not set', () => {
  assert.deepEqual(applyPreset('speech', undefined, undefined), {
    format: 'mp3',
    encoding: { sampleRate: 16_000, channels: 1, bitrate: 48_000 },
  });
  assert.deepEqual(applyPreset('speech', 'ogg', { channels: 2 }), {
    format: 'ogg',
    encoding: { sampleRate: 16_000, channels: 2 },
  });
  assert.equal(applyPreset('speech', 'mp3', { bitrate: 64_000 }).encoding.bitrate, 64_000);
});
