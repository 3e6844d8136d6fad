/**
 * Sources of 3 s whose headers claim hours count as sources of 3 s on every route. The usage follows from the
 * length in the result.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSource, type SourceSpec } from './copy/testing/ffmpeg.ts';
import type { SplitOptions, SplitResult } from './media.ts';
import { startSplit } from './testing/split-run.ts';

const SECONDS = 3;
const CLAIMED_SECONDS = 30 * 3600;
const RATE_HZ = 44_100;
const MONO = { seconds: SECONDS, sampleRateHz: RATE_HZ, channelCount: 1 } as const;
/** Encoders pad, and a false header does not say by how much. */
const PADDING_SAMPLES = 4_096;

interface Lie {
  readonly spec: SourceSpec;
  readonly tell: (source: Buffer) => void;
}

const LIES: Readonly<Record<string, Lie>> = {
  'an mp3 whose Xing header claims 30 h': {
    spec: { ...MONO, extension: 'mp3', encode: ['-c:a', 'libmp3lame'] },
    tell(source) {
      const at = Math.max(source.indexOf('Xing'), source.indexOf('Info'));
      source.writeUInt32BE(Math.round((CLAIMED_SECONDS * RATE_HZ) / 1152), at + 8);
    },
  },
  'a wav whose header claims 4 GiB': {
    spec: { ...MONO, extension: 'wav', encode: ['-c:a', 'pcm_s16le'] },
    tell(source) {
      source.writeUInt32LE(0xffff_fff0, 4);
      source.writeUInt32LE(0xffff_ff00, source.indexOf('data') + 4);
    },
  },
  'a wav whose header claims 2 GB': {
    spec: { ...MONO, extension: 'wav', encode: ['-c:a', 'pcm_s16le'] },
    tell(source) {
      source.writeUInt32LE(2_000_000_036, 4);
      source.writeUInt32LE(2_000_000_000, source.indexOf('data') + 4);
    },
  },
  'a flac whose STREAMINFO claims 30 h': {
    spec: { ...MONO, extension: 'flac', encode: ['-c:a', 'flac'] },
    tell: (source) => claimFlacSamples(source, CLAIMED_SECONDS * RATE_HZ),
  },
  'an m4a whose durations claim 27 h': {
    spec: { ...MONO, extension: 'm4a', encode: ['-c:a', 'aac'] },
    tell(source) {
      // Version 0: the times are followed by the scale and the duration.
      source.writeUInt32BE(CLAIMED_SECONDS * 1000, source.indexOf('mvhd') + 20);
      source.writeUInt32BE(4_294_967_000, source.indexOf('mdhd') + 20);
      source.writeUInt32BE(CLAIMED_SECONDS * 1000, source.indexOf('tkhd') + 24);
    },
  },
};

/** The sample count in STREAMINFO: 36 bits after the rate, the channels and the depth. */
function claimFlacSamples(source: Buffer, samples: number): void {
  source.writeUInt8(((source[21] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32), 21);
  source.writeUInt32BE(samples % 2 ** 32, 22);
}

describe('lengths claimed by headers', () => {
  const cut = { mode: 'duration', segmentDurationSeconds: 2 } as const;

  async function split(source: Buffer, options: Partial<SplitOptions>): Promise<SplitResult> {
    await using run = await startSplit(source, {
      cut,
      // The limits suffice for the source, and are far below what it claims.
      maxSourceDurationMs: 4_000,
      maxOutputBytes: 1_000_000,
      ...options,
    });
    const result = await run.outcome;
    assert.equal(run.segments.length, 2);
    return result;
  }

  for (const [name, { spec, tell }] of Object.entries(LIES)) {
    // Covers B-5.9
    test(`${name} is a source of 3 s, copied, converted and planned`, async () => {
      const source = await createSource(spec);
      tell(source);
      const planned = {
        mode: 'planned',
        request: { splitMode: 'duration', segmentDuration: 2, overlap: 0.1 },
      } as const;
      for (const options of [{}, { outputFormat: 'ogg' }, { cut: planned, outputFormat: 'wav' }] as const) {
        const result = await split(source, options);
        const excess = Math.abs(result.sourceSampleCount - SECONDS * RATE_HZ);
        assert.ok(
          excess <= PADDING_SAMPLES,
          `${JSON.stringify(options)}: ${result.sourceSampleCount} samples`,
        );
        const metered = result.meteredSampleCount ?? 0;
        assert.ok(metered <= 4 * RATE_HZ, `${JSON.stringify(options)}: ${metered} samples are metered`);
      }
    });
  }

  test('an m4a whose table of times stretches its frames is billed only for the content of its segments', async () => {
    const source = await createSource({ ...MONO, extension: 'm4a', encode: ['-c:a', 'aac'] });
    source.writeUInt32BE(2 * 1024, source.indexOf('stts') + 16);
    for (const options of [{}, { outputFormat: 'ogg' }] as const) {
      await using run = await startSplit(source, { cut, ...options });
      const { sourceSampleCount } = await run.outcome;
      const held = run.segments.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
      assert.equal(held, sourceSampleCount);
      assert.ok(held <= SECONDS * RATE_HZ, `${held}`);
    }
  });
});
