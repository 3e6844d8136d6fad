import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Cut } from '../cuts/cut.ts';
import { MediaError } from '../media-error.ts';
import { type CopyContainer, CopyNotPossibleError } from './copy-splitter.ts';
import { createSource } from './testing/ffmpeg.ts';
import { splitBuffer } from './testing/split-buffer.ts';

const ENCODINGS: Readonly<
  Record<CopyContainer, { readonly encode: readonly string[]; readonly extension: string }>
> = {
  mp3: { encode: ['-c:a', 'libmp3lame', '-q:a', '4'], extension: 'mp3' },
  wav: { encode: ['-c:a', 'pcm_s16le'], extension: 'wav' },
  flac: { encode: ['-c:a', 'flac', '-sample_fmt', 's16'], extension: 'flac' },
  'ogg-vorbis': { encode: ['-c:a', 'libvorbis'], extension: 'ogg' },
  'ogg-opus': { encode: ['-c:a', 'libopus'], extension: 'opus' },
  'ogg-flac': { encode: ['-c:a', 'flac', '-sample_fmt', 's16'], extension: 'ogg' },
  'matroska-opus': { encode: ['-c:a', 'libopus'], extension: 'webm' },
  'matroska-vorbis': { encode: ['-c:a', 'libvorbis'], extension: 'webm' },
  'matroska-flac': { encode: ['-c:a', 'flac', '-sample_fmt', 's16'], extension: 'mka' },
  'caf-opus': { encode: ['-c:a', 'libopus'], extension: 'caf' },
  m4a: { encode: ['-c:a', 'aac', '-movflags', '+faststart'], extension: 'm4a' },
  adts: { encode: ['-c:a', 'aac', '-f', 'adts'], extension: 'aac' },
};
const CUTS: readonly Cut[] = [
  { mode: 'duration', segmentDurationSeconds: 1 },
  { mode: 'fileSize', maxFileSizeBytes: 20_000 },
];

describe('damaged sources end with a clear error or a correct split', () => {
  for (const [container, { encode, extension }] of Object.entries(ENCODINGS) as [
    CopyContainer,
    (typeof ENCODINGS)[CopyContainer],
  ][]) {
    test(container, async () => {
      const source = await createSource({
        seconds: 2.5,
        sampleRateHz: 16_000,
        channelCount: 1,
        encode,
        extension,
      });
      const at = fc.oneof(fc.nat(source.length - 1), fc.nat(Math.min(source.length - 1, 300)));
      const overwrite = fc.array(fc.tuple(at, fc.nat(255)), { maxLength: 5 });
      const cutOut = fc.tuple(at, fc.nat(2_000));
      await fc.assert(
        fc.asyncProperty(overwrite, cutOut, fc.constantFrom(...CUTS), async (changes, [from, count], cut) => {
          const damaged = Buffer.concat([source.subarray(0, from), source.subarray(from + count)]);
          for (const [position, value] of changes) if (position < damaged.length) damaged[position] = value;
          try {
            const { result, segments, files } = await splitBuffer(container, damaged, cut);
            const samples = segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
            assert.equal(samples, result.sourceSampleCount);
            assert.equal(result.sourceSizeBytes, damaged.length);
            assert.ok(segments.every((segment) => segment.sampleCount > 0));
            if (cut.mode === 'fileSize')
              assert.ok(files.every((file) => file.length <= cut.maxFileSizeBytes));
          } catch (error) {
            const isClear = error instanceof MediaError && error.failure !== 'INTERNAL_ERROR';
            if (!isClear && !(error instanceof CopyNotPossibleError)) throw error;
          }
        }),
        { numRuns: 120 },
      );
    });
  }
});
