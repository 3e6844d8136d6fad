import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type CopyContainer,
  CopyNotPossibleError,
  type CopyResult,
  createCopySplitter,
} from '../../src/copy/copy-splitter.ts';
import { inReusedMemory } from '../../src/copy/testing/reused-memory.ts';
import { createCutRule } from '../../src/cuts/create-cut-rule.ts';
import { type Cut, MAX_SEGMENTS } from '../../src/cuts/cut.ts';
import type { FinishedSegment } from '../../src/media.ts';
import { MediaError } from '../../src/media-error.ts';
import { type FuzzCase, readCase } from '../engine/fuzz-case.ts';
import { assertHolds, BrokenPromiseError, type FuzzTarget } from '../engine/fuzz-target.ts';
import { CAF } from '../grammars/caf.ts';
import { EBML } from '../grammars/ebml.ts';
import { FLAC } from '../grammars/flac.ts';
import type { Grammar } from '../grammars/grammar.ts';
import { MP4 } from '../grammars/mp4.ts';
import { OGG } from '../grammars/ogg.ts';
import { RIFF } from '../grammars/riff.ts';
import { SYNC_FRAMES } from '../grammars/sync-frames.ts';
import { cafSeeds } from '../seeds/caf.ts';
import { flacSeeds } from '../seeds/flac.ts';
import { m4aSeeds } from '../seeds/m4a.ts';
import { matroskaFlacSeeds, matroskaOpusSeeds, matroskaVorbisSeeds } from '../seeds/matroska.ts';
import { adtsSeeds, mp3Seeds } from '../seeds/mpeg.ts';
import { oggFlacSeeds, opusSeeds, vorbisSeeds } from '../seeds/ogg.ts';
import { wavSeeds } from '../seeds/wav.ts';

interface Format {
  readonly grammar: Grammar;
  seeds(): readonly Buffer[];
}

const FORMATS: Readonly<Record<CopyContainer, Format>> = {
  mp3: { grammar: SYNC_FRAMES, seeds: mp3Seeds },
  wav: { grammar: RIFF, seeds: wavSeeds },
  flac: { grammar: FLAC, seeds: flacSeeds },
  'ogg-vorbis': { grammar: OGG, seeds: vorbisSeeds },
  'ogg-opus': { grammar: OGG, seeds: opusSeeds },
  'ogg-flac': { grammar: OGG, seeds: oggFlacSeeds },
  'matroska-opus': { grammar: EBML, seeds: matroskaOpusSeeds },
  'matroska-vorbis': { grammar: EBML, seeds: matroskaVorbisSeeds },
  'matroska-flac': { grammar: EBML, seeds: matroskaFlacSeeds },
  'caf-opus': { grammar: CAF, seeds: cafSeeds },
  m4a: { grammar: MP4, seeds: m4aSeeds },
  adts: { grammar: SYNC_FRAMES, seeds: adtsSeeds },
};

/** What the segments are that come out of another container. */
const CARRIED_TO: Readonly<Partial<Record<CopyContainer, CopyContainer>>> = {
  'ogg-flac': 'flac',
  'matroska-opus': 'ogg-opus',
  'matroska-vorbis': 'ogg-vorbis',
  'matroska-flac': 'flac',
  'caf-opus': 'ogg-opus',
};

/** A copy splitter through its public interface, files and all. */
export function createCopyTarget(container: CopyContainer): FuzzTarget {
  return {
    name: `copy-${container}`,
    ...FORMATS[container],
    async run(input, workDir) {
      const fuzzCase = readCase(input);
      const segments: FinishedSegment[] = [];
      try {
        const options = { ...fuzzCase, outputDir: workDir, segments };
        const result = await split(container, fuzzCase.chunks(), options);
        if (result !== undefined) {
          checkResult(result, segments, fuzzCase);
          if (fuzzCase.isRewalked) await checkRewalk(CARRIED_TO[container] ?? container, segments, workDir);
        }
        checkSegments(segments, fuzzCase.cut, workDir);
      } finally {
        for (const name of readdirSync(workDir)) unlinkSync(join(workDir, name));
      }
    },
  };
}

/** Some leftovers fit into it, some do not. */
const HEADROOM_BYTES = 256;

type SplitSettings = Pick<FuzzCase, 'cut' | 'maxSourceDurationMs' | 'abortAfter'>;

interface FuzzSplitOptions extends SplitSettings {
  readonly outputDir: string;
  /** Those handed out are added. */
  readonly segments: FinishedSegment[];
}

const REWALK: SplitSettings = {
  cut: { mode: 'duration', segmentDurationSeconds: 86_400 },
  maxSourceDurationMs: undefined,
  abortAfter: Number.POSITIVE_INFINITY,
};

/** undefined: aborted, or refused in one of the two ways that the interface knows. */
async function split(
  container: CopyContainer,
  chunks: AsyncIterable<Buffer>,
  { cut, maxSourceDurationMs, abortAfter, outputDir, segments }: FuzzSplitOptions,
): Promise<CopyResult | undefined> {
  const splitter = createCopySplitter(container, { audioMd5: true });
  if (splitter === undefined) throw new TypeError(`${container} is not copied`);
  const reused = inReusedMemory(chunks, HEADROOM_BYTES);
  const stop = new AbortController();
  let bytesBefore = 0;
  let isCommitted = false;
  try {
    return await splitter(reused.chunks, {
      cut: createCutRule(cut),
      memory: reused.memory,
      outputDir,
      signal: stop.signal,
      ...(maxSourceDurationMs === undefined ? {} : { maxSourceDurationMs }),
      onSegment: async (segment) => {
        segments.push(segment);
        if (segments.length >= abortAfter) stop.abort(new Error('aborted'));
      },
      onCommitted: () => {
        isCommitted = true;
      },
      onBytes: (bytesConsumed) => {
        assertHolds(bytesConsumed >= bytesBefore, 'the number of bytes taken never falls');
        bytesBefore = bytesConsumed;
      },
    });
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) return undefined;
    if (error instanceof CopyNotPossibleError) {
      if (isCommitted) throw new BrokenPromiseError('a committed split is not given up', { cause: error });
      return undefined;
    }
    if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR') return undefined;
    throw error;
  }
}

function checkResult(
  result: CopyResult,
  segments: readonly FinishedSegment[],
  { source, maxSourceDurationMs }: Pick<FuzzCase, 'source' | 'maxSourceDurationMs'>,
): void {
  const { segmentCount, sourceSampleCount, sourceSampleRateHz, sourceSizeBytes } = result;
  const sampleCount = segments.reduce((sum, segment) => sum + segment.sampleCount, 0);
  assertHolds(segmentCount === segments.length, 'the segments announced are those counted');
  assertHolds(segmentCount >= 1 && segmentCount <= MAX_SEGMENTS, 'there are 1 to 10,000 segments');
  assertHolds(sampleCount === sourceSampleCount, "the segments' samples are the source's");
  assertHolds(
    Number.isSafeInteger(sourceSampleRateHz) && sourceSampleRateHz > 0,
    'the rate is a positive integer',
  );
  assertHolds(sourceSizeBytes === source.length, 'the source is read to its end');
  if (maxSourceDurationMs !== undefined) {
    const allowedSamples = (maxSourceDurationMs * sourceSampleRateHz) / 1000;
    assertHolds(sourceSampleCount <= allowedSamples, 'no source passes that is longer than allowed');
  }
}

/** Holds for a split that was refused midway, too: its segments have been handed out. */
function checkSegments(segments: readonly FinishedSegment[], cut: Cut, workDir: string): void {
  let startSample = 0;
  for (const [position, { index, path, sampleCount, sizeBytes, ...segment }] of segments.entries()) {
    assertHolds(index === position, 'segments come in order');
    assertHolds(segment.startSample === startSample, 'a segment begins where the one before ended');
    assertHolds(
      Number.isSafeInteger(sampleCount) && sampleCount > 0,
      'a segment holds a whole number of samples, one at least',
    );
    assertHolds(statSync(path).size === sizeBytes, 'a segment is as large as it says');
    assertHolds(
      cut.mode === 'duration' || sizeBytes <= cut.maxFileSizeBytes,
      'no segment is larger than the limit',
    );
    startSample += sampleCount;
  }
  const announced = segments.map(({ path }) => basename(path)).sort();
  assertHolds(
    readdirSync(workDir).sort().join() === announced.join(),
    'nothing but announced segments is left behind',
  );
}

/** A raw stream is known by two frames in a row: a segment of a single frame is valid, but cannot be recognized for certain. */
const MAX_ADTS_FRAME_SAMPLES = 4_096;

/** The first segment and the last, split again, are found to hold what was said of them. */
async function checkRewalk(
  container: CopyContainer,
  segments: readonly FinishedSegment[],
  workDir: string,
): Promise<void> {
  const ends = new Set([segments.at(0), segments.at(-1)]);
  for (const segment of ends) {
    if (segment === undefined) continue;
    if (container === 'adts' && segment.sampleCount <= MAX_ADTS_FRAME_SAMPLES) continue;
    const file = readFileSync(segment.path);
    const outputDir = join(workDir, 'again');
    const options = { ...REWALK, outputDir, segments: [] };
    const result = await inFolder(outputDir, () => split(container, oneChunk(file), options));
    if (result === undefined) throw new BrokenPromiseError('a segment can be split again');
    const { sourceSampleCount, sourceSampleRateHz } = result;
    assertHolds(sourceSampleRateHz === segment.sampleRateHz, 'a segment has the rate that was said');
    if (sourceSampleCount !== segment.sampleCount) {
      throw new BrokenPromiseError(
        `a segment holds the samples that were said (${sourceSampleCount} against ${segment.sampleCount})`,
      );
    }
  }
}

async function inFolder<T>(dir: string, run: () => Promise<T>): Promise<T> {
  mkdirSync(dir);
  try {
    return await run();
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
