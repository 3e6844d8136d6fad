/** The conversion of a source's parts equals the conversion of the whole source, byte for byte. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { OutputFormat } from '../formats/formats.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from '../media.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { startSplit } from '../testing/split-run.ts';
import { isCorruptPiece } from './corrupt-piece.ts';
import { type PartSpec, rangesOf } from './part-spec.ts';

/** The last segment includes a remainder of 50 ms; pieces end in the middle of segments. */
const SECONDS = 77.05;
const CUT = { mode: 'duration', segmentDurationSeconds: 7 } as const;
const EVERYTHING = { minWorkSeconds: 0, partWorkSeconds: 0.2 };

const samples = forSuite(createAudioSamples);

interface Outcome {
  readonly result: SplitResult;
  /** Keyed by index. */
  readonly segments: ReadonlyMap<number, { readonly segment: FinishedSegment; readonly bytes: Buffer }>;
  readonly pieces: readonly Buffer[];
}

async function split(source: Uint8Array, settings: Partial<SplitOptions>): Promise<Outcome> {
  const segments = new Map<number, { readonly segment: FinishedSegment; readonly bytes: Buffer }>();
  const pieces: Buffer[] = [];
  await using run = await startSplit(source, {
    cut: CUT,
    ...settings,
    async onSegment(segment) {
      const bytes = await readFile(segment.path);
      await rm(segment.path);
      if (segment.isPiece) pieces.push(bytes);
      else segments.set(segment.index, { segment, bytes });
    },
  });
  const result = await run.outcome;
  assert.deepEqual(await run.leftovers(), []);
  return { result, segments, pieces };
}

async function splitInParts(source: Uint8Array, settings: Partial<SplitOptions>): Promise<Outcome> {
  const divided = await split(source, { division: EVERYTHING, ...settings });
  assert.equal(divided.segments.size, 0);
  const { parts = [] } = divided.result;
  const object = Buffer.concat(divided.pieces);
  const segments: Outcome['segments'][] = [];
  for (const part of parts) {
    // As it is read back from storage.
    const spec: PartSpec = JSON.parse(JSON.stringify(part));
    const bytes = rangesOf(spec).map(({ firstByte, lastByte }) => object.subarray(firstByte, lastByte + 1));
    const done = await split(Buffer.concat(bytes), { part: spec });
    assert.equal(done.result.segmentCount, spec.segmentCount);
    segments.push(done.segments);
  }
  return { ...divided, segments: new Map(segments.flatMap((some) => [...some])) };
}

function assertSame(actual: Outcome, expected: Outcome): void {
  assert.equal(actual.result.segmentCount, expected.result.segmentCount);
  assert.equal(actual.result.outputFormat, expected.result.outputFormat);
  assert.equal(actual.result.sourceSampleCount, expected.result.sourceSampleCount);
  assert.deepEqual([...actual.segments.keys()], [...expected.segments.keys()]);
  for (const [index, { segment, bytes }] of expected.segments) {
    const other = actual.segments.get(index);
    assert.ok(other);
    const { path: _, ...described } = segment;
    const { path: __, ...otherDescribed } = other.segment;
    assert.deepEqual(otherDescribed, described);
    assert.ok(other.bytes.equals(bytes), `segment ${index}`);
  }
}

describe('a source in parts gives the same bytes as a whole', () => {
  const sources = {
    wav: ['-c:a', 'pcm_s16le'],
    mp3: ['-c:a', 'libmp3lame', '-b:a', '64k', '-metadata', 'title=A long talk', '-metadata', 'artist=Ada'],
    flac: ['-c:a', 'flac', '-metadata', 'title=A long talk'],
  };
  const cases: readonly (readonly [keyof typeof sources, OutputFormat])[] = [
    ['wav', 'mp3'],
    ['wav', 'flac'],
    ['mp3', 'aac'],
    ['mp3', 'ogg'],
    ['flac', 'aac'],
  ];
  for (const [container, outputFormat] of cases) {
    test(`${container} to ${outputFormat}`, async () => {
      const path = await samples.make(
        `long.${container}`,
        sound(16_000, SECONDS, 'mono'),
        ...sources[container],
      );
      const source = await readFile(path);
      const partWorkSeconds = outputFormat === 'flac' ? 0.03 : EVERYTHING.partWorkSeconds;
      const division = { ...EVERYTHING, partWorkSeconds };
      const parts = await splitInParts(source, { outputFormat, division });
      assert.ok((parts.result.parts?.length ?? 0) >= 3);
      assertSame(parts, await split(source, { outputFormat }));
    });
  }

  test('at 44.1 kHz in stereo, with a variable bitrate, tags and a cover', async () => {
    const wav = await samples.make('plain.wav', sound(44_100, SECONDS, 'stereo'), '-c:a', 'pcm_s16le');
    const cover = await samples.make('cover.jpg', 'testsrc=d=1:s=64x64', '-frames:v', '1');
    const path = await samples.make(
      'dressed.mp3',
      'anullsrc',
      ...['-i', wav, '-i', cover, '-map', '1:a', '-map', '2:v', '-c:v', 'copy'],
      ...['-c:a', 'libmp3lame', '-q:a', '4', '-id3v2_version', '3'],
      ...['-metadata', 'title=Über alles; a=b', '-metadata', 'date=2026'],
    );
    const source = await readFile(path);
    const settings = { outputFormat: 'flac', division: { ...EVERYTHING, partWorkSeconds: 0.05 } } as const;
    const parts = await splitInParts(source, settings);
    assert.notEqual(parts.result.parts?.[0]?.cover, null);
    assertSame(parts, await split(source, { outputFormat: 'flac' }));
  });
});

describe('a source is not divided', () => {
  const divisionOf = async (source: Uint8Array, settings: Partial<SplitOptions>) => {
    const { result, pieces, segments } = await split(source, { division: EVERYTHING, ...settings });
    assert.ok(segments.size > 0);
    return { isDivided: result.parts !== undefined, pieces: pieces.length };
  };
  const whole = { isDivided: false, pieces: 0 };
  const talk = (container: string, ...args: string[]) =>
    samples.make(`talk.${container}`, sound(16_000, 40, 'mono'), ...args);

  test('if it keeps its format, because copying costs almost nothing', async () => {
    const mp3 = await readFile(await talk('mp3'));
    assert.deepEqual(await divisionOf(mp3, {}), whole);
    assert.deepEqual(await divisionOf(mp3, { outputFormat: 'mp3' }), whole);
  });

  test('with a byte ceiling, where a segment begins when the previous one is full', async () => {
    const wav = await readFile(await talk('wav'));
    const cut = { mode: 'fileSize', maxFileSizeBytes: 65_536 } as const;
    assert.deepEqual(await divisionOf(wav, { cut, outputFormat: 'mp3' }), whole);
  });

  test('if there is too little work, or only one part', async () => {
    const wav = await readFile(await talk('wav'));
    const outputFormat = 'mp3';
    assert.deepEqual(
      await divisionOf(wav, { outputFormat, division: { ...EVERYTHING, minWorkSeconds: 5 } }),
      whole,
    );
    assert.deepEqual(
      await divisionOf(wav, { outputFormat, division: { ...EVERYTHING, partWorkSeconds: 5 } }),
      whole,
    );
    assert.deepEqual(await divisionOf(wav, { outputFormat: 'wav' }), whole);
  });

  test('if its rate must change, or a copy would not decode to the same samples', async () => {
    const rate = await readFile(
      await samples.make('high.wav', sound(96_000, 20, 'mono'), '-c:a', 'pcm_s16le'),
    );
    assert.deepEqual(await divisionOf(rate, { outputFormat: 'mp3' }), whole);
    const ogg = await readFile(await talk('ogg', '-c:a', 'libvorbis'));
    assert.deepEqual(await divisionOf(ogg, { outputFormat: 'mp3' }), whole);
  });

  test('if its length is not known in advance', async () => {
    const mp3 = await readFile(await talk('mp3'));
    const { result } = await split(mp3, {
      division: EVERYTHING,
      outputFormat: 'flac',
      sourceSizeBytes: undefined as never,
    });
    assert.equal(result.parts, undefined);
  });

  test('if copying stops: delivered pieces are void, and the segments are those of the whole', async () => {
    const parts = await Promise.all(
      [44_100, 22_050].map(async (rate) =>
        readFile(
          await samples.make(
            `half-${rate}.mp3`,
            sound(rate, 70, 'mono'),
            '-c:a',
            'libmp3lame',
            '-b:a',
            '64k',
          ),
        ),
      ),
    );
    const source = Buffer.concat(parts);
    const settings = { outputFormat: 'flac' as const };
    const division = { ...EVERYTHING, partWorkSeconds: 0.03 };
    const divided = await split(source, { ...settings, division });
    assert.equal(divided.result.parts, undefined);
    assert.ok(divided.pieces.length > 0);
    assertSame(divided, await split(source, settings));
  });
});

test('QUOTA_EXCEEDED before anything is encoded', async () => {
  const path = await samples.make('too-long.wav', sound(16_000, 40, 'mono'), '-c:a', 'pcm_s16le');
  const division = { ...EVERYTHING, partWorkSeconds: 0.1 };
  const settings = { outputFormat: 'mp3', division, maxSourceDurationMs: 30_000 } as const;
  await assert.rejects(split(await readFile(path), settings), { failure: 'QUOTA_EXCEEDED' });
});

test('a piece that does not decode to its part of the source is detected', async () => {
  const path = await samples.make(
    'damaged.mp3',
    sound(16_000, 40, 'mono'),
    '-c:a',
    'libmp3lame',
    '-b:a',
    '64k',
  );
  const { result, pieces } = await split(await readFile(path), {
    outputFormat: 'flac',
    division: { ...EVERYTHING, partWorkSeconds: 0.03 },
  });
  const [part] = result.parts ?? [];
  const [first] = part?.pieces ?? [];
  assert.ok(part && first);
  const spec = { ...part, pieces: [{ ...first, sampleCount: first.sampleCount + 5_000 }] };
  const bytes = Buffer.concat(pieces).subarray(0, first.sizeBytes);
  await assert.rejects(split(bytes, { part: spec }), isCorruptPiece);
});

test('the progress of a division leaves room for its parts; a part has its own progress', async () => {
  const path = await samples.make('steps.wav', sound(16_000, 40, 'mono'), '-c:a', 'pcm_s16le');
  await using run = await startSplit(await readFile(path), {
    cut: CUT,
    outputFormat: 'mp3',
    division: EVERYTHING,
  });
  await run.outcome;
  assert.ok(run.progress.length > 0 && Math.max(...run.progress) <= 0.1);
});
