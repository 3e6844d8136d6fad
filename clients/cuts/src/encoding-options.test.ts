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

test('every format has its sample rates', () => {
  const rates = [7_350, 8_000, 11_025, 44_100, 44_101, 64_000, 96_000, 192_000, 192_001];
  const taken = (format: EncodedFormat) =>
    rates.filter((sampleRate) => faultsOf(format, { sampleRate }).length === 0);
  assert.deepEqual(taken('mp3'), [8_000, 11_025, 44_100]);
  assert.deepEqual(taken('aac'), [8_000, 11_025, 44_100, 64_000, 96_000]);
  assert.deepEqual(taken('ogg'), [8_000, 11_025, 44_100, 44_101, 64_000, 96_000, 192_000]);
  assert.deepEqual(taken('wav'), rates.slice(0, -1));
  assert.deepEqual(taken('flac'), taken('wav'));
});

test('a bitrate of mp3 is a step of its rate', () => {
  const isTaken = (bitrate: number, sampleRate?: number) =>
    faultsOf('mp3', { bitrate, sampleRate }).length === 0;
  assert.ok(isTaken(320_000, 44_100) && !isTaken(144_000, 44_100) && !isTaken(8_000, 44_100));
  assert.ok(isTaken(144_000, 22_050) && isTaken(8_000, 22_050) && !isTaken(192_000, 22_050));
  assert.ok(isTaken(64_000, 8_000) && !isTaken(80_000, 8_000));
  assert.ok(isTaken(144_000) && isTaken(320_000) && !isTaken(100_000));
});

test('bitrates belong to lossy formats, depths to lossless ones', () => {
  for (const format of ['wav', 'flac'] as const) {
    assert.deepEqual(faultsOf(format, { bitrate: 64_000, bitDepth: 24 }), ['bitrate']);
  }
  for (const format of ['mp3', 'ogg', 'aac'] as const) {
    assert.deepEqual(faultsOf(format, { bitrate: 64_000, bitDepth: 24, channels: 1 }), ['bitDepth']);
  }
  assert.deepEqual(faultsOf('aac', { bitrate: 512_001 }), ['bitrate']);
  assert.deepEqual(faultsOf('ogg', { bitrate: 500_001 }), ['bitrate']);
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

test('a rejection names what the format supports', () => {
  const [fault] = checkEncoding('mp3', { sampleRate: 96_000 });
  assert.match(fault?.message ?? '', /8,000, .* 44,100 or 48,000 Hz for mp3/);
  const [step] = checkEncoding('mp3', { bitrate: 100_000, sampleRate: 48_000 });
  assert.match(step?.message ?? '', /or 320,000 bits a second for mp3 at 48,000 Hz/);
});

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
