/**
 * Joined, the segments equal the source: over random sources, cuts and ways in which the bytes arrive.
 *
 * SPLIT_PROPERTY_RUNS sets the number of sources for each property (a few by default); a failure prints the
 * seed and path with which fast-check repeats it.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeFile, decodeFiles, withScratchDir } from '../../src/copy/testing/ffmpeg.ts';
import type { Cut } from '../../src/cuts/cut.ts';
import type { OutputFormat } from '../../src/formats/formats.ts';
import type { FinishedSegment } from '../../src/media.ts';
import { startSplit } from '../../src/testing/split-run.ts';
import { cutByDuration } from '../golden/expectations.ts';
import {
  chunkSizes,
  inChunks,
  type Kind,
  makeSource,
  type RandomSource,
  randomSource,
} from './random-source.ts';

const RUNS = Number(process.env.SPLIT_PROPERTY_RUNS ?? 20);
const SAMPLE_BYTES = 4;
/** Below this, the headers of some formats leave no room for audio. */
const MIN_CEILING_BYTES = 8_000;
/** Vorbis is cut between its packets, which contain up to half of its largest block. */
const VORBIS_TOLERANCE_SAMPLES = 512;
/** Old decoders play the last Vorbis or AAC block in full. */
const MAX_EXCESS_SAMPLES = 2_048;

interface Case {
  readonly source: RandomSource;
  /** undefined: cut by duration; else the size limit as a fraction of the source's bytes. */
  readonly ceilingShare: number | undefined;
  readonly chunks: readonly number[];
  readonly outputFormat: OutputFormat | undefined;
}

function cases(kinds: readonly Kind[], outputs: readonly (OutputFormat | undefined)[]): fc.Arbitrary<Case> {
  return fc.record({
    source: randomSource(kinds),
    ceilingShare: fc.option(fc.double({ min: 0.2, max: 1.1, noNaN: true }), { nil: undefined }),
    chunks: chunkSizes,
    outputFormat: fc.constantFrom(...outputs),
  });
}

function isVorbis({ source, outputFormat }: Case): boolean {
  return source.kind === 'ogg' && (outputFormat === undefined || outputFormat === 'ogg');
}

describe('joined segments', () => {
  for (const kind of ['wav', 'flac', 'mp3', 'ogg', 'm4a'] as const) {
    test(`${kind} in its own format is identical to the source, bit for bit`, () =>
      fc.assert(
        fc.asyncProperty(cases([kind], [undefined]), (random) => check(random, 'exact')),
        { numRuns: RUNS },
      ));
  }

  test('lossless to lossless keeps every bit', () =>
    fc.assert(
      fc.asyncProperty(
        cases(['wav', 'flac'], ['wav', 'flac']).filter(({ source }) => holdsIn24Bits(source)),
        (random) => check(random, 'exact'),
      ),
      { numRuns: RUNS },
    ));

  test('any format to a lossy one keeps every sample', () =>
    fc.assert(
      fc.asyncProperty(cases(['wav', 'flac', 'mp3', 'ogg', 'm4a'], ['mp3', 'ogg', 'aac']), (random) =>
        check(random, 'counted'),
      ),
      { numRuns: RUNS },
    ));

  async function check(random: Case, compare: 'exact' | 'counted'): Promise<void> {
    const { source, ceilingShare, chunks, outputFormat } = random;
    const bytes = await makeSource(source);
    const whole = await decodeBytes(source, bytes);
    const cut: Cut =
      ceilingShare === undefined
        ? { mode: 'duration', segmentDurationSeconds: source.segmentDurationSeconds }
        : {
            mode: 'fileSize',
            maxFileSizeBytes: Math.max(MIN_CEILING_BYTES, Math.round(ceilingShare * bytes.length)),
          };
    await using run = await startSplit(bytes, {
      source: inChunks(bytes, chunks),
      cut,
      ...(outputFormat === undefined ? {} : { outputFormat }),
    });
    const result = await run.outcome;
    const width = SAMPLE_BYTES * source.channelCount;
    const total = whole.length / width;
    assert.equal(result.sourceSampleCount, total);
    assert.deepEqual(await run.leftovers(), []);
    assertPlanned(random, cut, run.segments, total);
    const paths = run.segments.map(({ path }) => path);
    // ffmpeg guesses by content, and five frames, a tenth of a second, may be mistaken for another format.
    const demuxer = run.segments[0]?.extension === 'mp3' ? ['-f', 'mp3'] : [];
    const allDecoded = await decodeFiles(paths, formatOf(source), demuxer);
    for (const [index, segment] of run.segments.entries()) {
      const decoded = allDecoded[index] ?? assert.fail('a segment was not decoded');
      const excess = decoded.length / width - segment.sampleCount;
      const mayExceed = segment.extension === 'ogg' || segment.extension === 'm4a';
      assert.ok(excess >= 0 && excess < (mayExceed ? MAX_EXCESS_SAMPLES : 1), `${excess} too many decoded`);
      if (compare === 'counted') continue;
      const start = segment.startSample * width;
      const length = segment.sampleCount * width;
      assert.ok(
        decoded.subarray(0, length).equals(whole.subarray(start, start + length)),
        `segment ${segment.index} sounds otherwise`,
      );
    }
  }
});

function assertPlanned(random: Case, cut: Cut, segments: readonly FinishedSegment[], total: number): void {
  let next = 0;
  for (const [index, segment] of segments.entries()) {
    assert.equal(segment.index, index);
    assert.equal(segment.startSample, next);
    assert.ok(segment.sampleCount > 0);
    if (cut.mode === 'fileSize') assert.ok(segment.sizeBytes <= cut.maxFileSizeBytes, 'above the ceiling');
    next += segment.sampleCount;
  }
  const { sampleRateHz } = random.source;
  const outputRateHz = segments[0]?.sampleRateHz ?? sampleRateHz;
  const offBy = Math.abs(next - (total * outputRateHz) / sampleRateHz);
  assert.ok(outputRateHz === sampleRateHz ? offBy === 0 : offBy <= 1, `${next} samples of ${total}`);
  // If the output does not support the rate, the remainder may round to the other side of a tenth of a
  // second.
  if (cut.mode === 'fileSize' || outputRateHz !== sampleRateHz) return;

  const expected = cutByDuration(total, sampleRateHz, cut.segmentDurationSeconds);
  const starts = segments.map((segment) => segment.startSample);
  const due = expected.map((segment) => segment.startSample);
  if (!isVorbis(random)) {
    assert.deepEqual(starts, due);
    return;
  }
  const last = expected.at(-1)?.sampleCount ?? 0;
  const isClearOfTheRule =
    Math.abs((last % (cut.segmentDurationSeconds * sampleRateHz)) - sampleRateHz / 10) >
    VORBIS_TOLERANCE_SAMPLES;
  if (isClearOfTheRule) assert.equal(starts.length, due.length);
  for (const [index, start] of starts.entries()) {
    const wanted = Math.round(index * cut.segmentDurationSeconds * sampleRateHz);
    assert.ok(Math.abs(start - wanted) <= VORBIS_TOLERANCE_SAMPLES, `${start} instead of ${wanted}`);
  }
}

function holdsIn24Bits({ pcm }: RandomSource): boolean {
  return pcm !== 's32le' && pcm !== 'f32le';
}

/** Both represent every sample of the compared sources. */
function formatOf({ kind, pcm }: RandomSource): 's32le' | 'f32le' {
  return (kind === 'wav' || kind === 'flac') && pcm !== 'f32le' ? 's32le' : 'f32le';
}

/**
 * The audible samples: those that old decoders play beyond the end of a Vorbis or AAC track are left out. An
 * mp3 contains the samples that its info frame states, which are not always the encoder's input.
 */
async function decodeBytes(source: RandomSource, bytes: Buffer): Promise<Buffer> {
  // Tags after a short mp3 keep old decoders from trimming it; they must not affect the audio.
  const judged = source.kind === 'mp3' ? await makeSource({ ...source, hasTags: false }) : bytes;
  return withScratchDir(async (dir) => {
    const path = join(dir, `source.${source.kind}`);
    await writeFile(path, judged);
    const decoded = await decodeFile(path, formatOf(source));
    if (source.kind === 'mp3') return decoded;
    const length = source.sampleCount * source.channelCount * SAMPLE_BYTES;
    // ffmpeg's muxer counts an m4a in milliseconds, and its decoder may then omit the last frame: such a
    // decode cannot be compared.
    fc.pre(decoded.length >= length);
    return decoded.subarray(0, length);
  });
}
