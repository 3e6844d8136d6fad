/** Tests the engine against the golden vectors; `vectors.ts` describes each check. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { decodeFile } from '../../src/copy/testing/ffmpeg.ts';
import type { FinishedSegment } from '../../src/media.ts';
import { startSplit } from '../../src/testing/split-run.ts';
import { sha256 } from './expectations.ts';
import { type Plan, readVectors, SOURCES_URL, type Vector } from './vectors.ts';

const vectors = await readVectors();
const COMPARED_SAMPLE_BYTES = 4;
/** Opus: the difference that may remain from a decoder's state after 80 ms. */
const MIN_SIGNAL_TO_NOISE_DB = 60;

describe('golden vectors', () => {
  for (const vector of vectors) {
    test(vector.name, async () => {
      const source = await readFile(new URL(vector.file, SOURCES_URL));
      assert.equal(sha256(source), vector.sha256, 'the source is not the one that the vector was made for');
      const whole = await decodeSource(vector);
      for (const plan of vector.plans) {
        await using run = await startSplit(source, { ...plan });
        const result = await run.outcome;
        assert.equal(result.sourceSampleCount, vector.sampleCount);
        assert.equal(result.sourceSampleRateHz, vector.sampleRateHz);
        assert.equal(result.sourceSizeBytes, source.length);
        await assertAsPlanned(vector, plan, run.segments);
        await assertSounds(vector, plan, run.segments, { source, whole });
      }
    });
  }
});

function widthOf({ channelCount }: Vector): number {
  return COMPARED_SAMPLE_BYTES * channelCount;
}

async function decodeSource(vector: Vector): Promise<Buffer> {
  if (vector.judgement === 'frames') return Buffer.alloc(0);
  const path = new URL(vector.file, SOURCES_URL).pathname;
  const decoded = await decodeFile(path, vector.comparedAs);
  const whole = decoded.subarray(0, vector.sampleCount * widthOf(vector));
  assert.equal(whole.length, vector.sampleCount * widthOf(vector));
  if (vector.samplesSha256 !== undefined) assert.equal(sha256(whole), vector.samplesSha256);
  return whole;
}

async function assertAsPlanned(
  vector: Vector,
  plan: Plan,
  segments: readonly FinishedSegment[],
): Promise<void> {
  let next = 0;
  for (const [index, segment] of segments.entries()) {
    assert.equal(segment.index, index);
    assert.equal(segment.startSample, next);
    next += segment.sampleCount;
    const { size } = await stat(segment.path);
    assert.equal(size, segment.sizeBytes);
    if (plan.cut.mode === 'fileSize') assert.ok(size <= plan.cut.maxFileSizeBytes, `${size} bytes`);
  }
  assert.equal(next, vector.sampleCount);
  if (plan.segments === undefined) {
    assert.ok(segments.length > 1);
    return;
  }
  assert.equal(segments.length, plan.segments.length);
  for (const [index, expected] of plan.segments.entries()) {
    const offBy = Math.abs((segments[index]?.startSample ?? Number.NaN) - expected.startSample);
    assert.ok(offBy <= vector.cutTolerance, `segment ${index} begins ${offBy} samples off`);
  }
}

interface Reference {
  readonly source: Buffer;
  /** The source, decoded. */
  readonly whole: Buffer;
}

async function assertSounds(
  vector: Vector,
  plan: Plan,
  segments: readonly FinishedSegment[],
  { source, whole }: Reference,
): Promise<void> {
  if (vector.judgement === 'frames') {
    const files = await Promise.all(segments.map((segment) => readFile(segment.path)));
    assert.ok(Buffer.concat(files).equals(source));
    return;
  }
  const width = widthOf(vector);
  for (const [index, segment] of segments.entries()) {
    const decoded = await decodeFile(segment.path, vector.comparedAs);
    const heard = decoded.subarray(0, segment.sampleCount * width);
    const isTrimmed: boolean = vector.judgement === 'lossless' || segment.extension === 'mp3';
    assert.equal((isTrimmed ? decoded : heard).length, segment.sampleCount * width, `segment ${index}`);
    const start = segment.startSample * width;
    const meant = whole.subarray(start, start + heard.length);
    if (vector.judgement === 'prerolled') {
      const decibels = signalToNoiseDb(meant, heard);
      assert.ok(decibels > MIN_SIGNAL_TO_NOISE_DB, `segment ${index}: ${decibels} dB`);
    } else assert.ok(heard.equals(meant), `segment ${index} of ${JSON.stringify(plan.cut)} sounds otherwise`);

    const expected = plan.segments?.[index];
    if (expected?.samplesSha256 !== undefined) assert.equal(sha256(heard), expected.samplesSha256);
    if (expected?.sizeBytes !== undefined) assert.equal(segment.sizeBytes, expected.sizeBytes);
    if (expected?.fileSha256 !== undefined)
      assert.equal(sha256(await readFile(segment.path)), expected.fileSha256);
  }
}

/** The ratio for 32-bit floats. */
function signalToNoiseDb(meant: Buffer, heard: Buffer): number {
  let signal = 0;
  let noise = 0;
  for (let at = 0; at < meant.length; at += 4) {
    const value = meant.readFloatLE(at);
    signal += value ** 2;
    noise += (value - heard.readFloatLE(at)) ** 2;
  }
  return 10 * Math.log10(signal / Math.max(noise, Number.MIN_VALUE));
}
