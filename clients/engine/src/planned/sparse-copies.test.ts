import assert from 'node:assert/strict';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import fc from 'fast-check';
import { CopyNotPossibleError, createCopySplitter } from '../copy/copy-splitter.ts';
import { STREAM_INFO_AT } from '../copy/flac/stream-head.ts';
import { formatPage, parsePages, repage } from '../copy/ogg/testing/pages.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import { createSparseFile } from '../source/sparse-file.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { type CopyPlan, copyPieces, measureLength } from './copy-passes.ts';

const SECONDS = 120;
const MP3 = ['-c:a', 'libmp3lame', '-compression_level', '9'] as const;
const VORBIS = ['-c:a', 'libvorbis', '-q:a', '9'] as const;
const OPUS = ['-c:a', 'libopus', '-b:a', '400k', '-compression_level', '0'] as const;
const PACKET_PER_PAGE = ['-page_duration', '1'] as const;
/** 192 kbit/s at 48 kHz. */
const FRAME_BYTES = 576;

interface Kind {
  readonly container: 'flac' | 'mp3' | 'ogg-vorbis' | 'ogg-opus';
  readonly bytes: () => Promise<Buffer>;
  /** Every frame is read. */
  readonly isReadWhole?: true;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'flac of equal blocks': { container: 'flac', bytes: encodeFlac },
  'flac of blocks that vary': { container: 'flac', bytes: createFlacOfVaryingBlocks },
  'flac without a stated length': { container: 'flac', bytes: () => createFlacThatStates(0) },
  'flac with a wrong length': { container: 'flac', bytes: () => createFlacThatStates(9_999_999) },
  'mp3 of 44.1 kHz, whose frames are padded': { container: 'mp3', bytes: () => encodeMp3('192k') },
  'mp3 of 48 kHz': { container: 'mp3', bytes: () => encodeMp3('192k', '-ar', '48000') },
  'mp3 of half the frames': { container: 'mp3', bytes: () => encodeMp3('160k', '-ar', '22050') },
  'mp3 without an info frame': {
    container: 'mp3',
    bytes: () => encodeMp3('320k', '-write_xing', '0'),
  },
  'mp3 of varying bitrate without an info frame': {
    container: 'mp3',
    bytes: () => encode('mp3', [...MP3, '-q:a', '4', '-write_xing', '0']),
    isReadWhole: true,
  },
  'mp3 with a tag at its end': { container: 'mp3', bytes: createMp3WithTag },
  'mp3 of varying bitrate': {
    container: 'mp3',
    bytes: () => encode('mp3', [...MP3, '-q:a', '4']),
    isReadWhole: true,
  },
  'mp3 of constant bitrate that lost a frame': {
    container: 'mp3',
    bytes: createMp3WithoutOneFrame,
    isReadWhole: true,
  },
  vorbis: { container: 'ogg-vorbis', bytes: () => encode('ogg', VORBIS) },
  'vorbis whose packets go on from page to page': {
    container: 'ogg-vorbis',
    bytes: async () => repage(await encode('ogg', [...VORBIS, ...PACKET_PER_PAGE]), 3, { lacingPerPage: 31 }),
  },
  'vorbis that begins late': {
    container: 'ogg-vorbis',
    bytes: async () =>
      repage(await encode('ogg', [...VORBIS, ...PACKET_PER_PAGE]), 3, {
        lacingPerPage: 255,
        shiftSamples: 9_999_999,
      }),
  },
  'vorbis beside another stream': {
    container: 'ogg-vorbis',
    bytes: () => encode('ogg', [...VORBIS, '-map', '0:a', '-map', '0:a']),
    isReadWhole: true,
  },
  opus: { container: 'ogg-opus', bytes: () => encode('opus', OPUS) },
  'opus whose packets go on from page to page': {
    container: 'ogg-opus',
    bytes: async () => repage(await encode('opus', [...OPUS, ...PACKET_PER_PAGE]), 2, { lacingPerPage: 31 }),
  },
  'truncated opus': {
    container: 'ogg-opus',
    bytes: async () => (await encode('opus', OPUS)).subarray(0, -5_000),
  },
};

const made = new Map<string, Promise<string>>();

/** Noise that rises and falls, so that bitrates vary. Audio that several sources share is encoded once. */
async function encode(extension: string, options: readonly string[]): Promise<Buffer> {
  const noise = `anoisesrc=r=44100:d=${SECONDS}:a=0.9:seed=1,volume=0.02+0.9*mod(t\\,50)/50:eval=frame`;
  const name = `${options.join(' ')}.${extension}`;
  const path = made.get(name) ?? samples.make(name, noise, '-ac', '2', ...options);
  made.set(name, path);
  return await readFile(await path);
}

function encodeFlac(): Promise<Buffer> {
  return encode('flac', ['-c:a', 'flac', '-sample_fmt', 's16']);
}

function encodeMp3(bitrate: string, ...options: readonly string[]): Promise<Buffer> {
  return encode('mp3', [...MP3, '-b:a', bitrate, ...options]);
}

async function createMp3WithTag(): Promise<Buffer> {
  return Buffer.concat([await encodeMp3('192k'), Buffer.from('TAG'.padEnd(128, '\0'))]);
}

async function createMp3WithoutOneFrame(): Promise<Buffer> {
  const bytes = await encodeMp3('192k', '-ar', '48000');
  const middle = bytes.indexOf(bytes.subarray(-FRAME_BYTES).subarray(0, 3), bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + FRAME_BYTES)]);
}

/** A segment that begins off the source's grid of blocks has no grid. */
async function createFlacOfVaryingBlocks(): Promise<Buffer> {
  const path = join(samples.dir, 'equal.flac');
  const bytes = await encodeFlac();
  await writeFile(path, bytes);
  const [, rest] = await copies('flac', { path, sizeBytes: bytes.length }, [
    pieceOf(0, 0.1),
    pieceOf(0.1, SECONDS),
  ]);
  assert.ok(rest);
  return rest;
}

async function createFlacThatStates(sampleCount: number): Promise<Buffer> {
  const bytes = await encodeFlac();
  bytes.writeUInt32BE(sampleCount, STREAM_INFO_AT + 14);
  return bytes;
}

function pieceOf(startSeconds: number, endSeconds: number): Piece {
  return { startSeconds, endSeconds, endKind: 'range' };
}

function planOf(container: Kind['container'], file: LocalFile, pieces: readonly Piece[]): CopyPlan {
  const splitter = createCopySplitter(container);
  assert.ok(splitter);
  const { signal } = new AbortController();
  const runtime = {
    workDir: samples.dir,
    signal,
    stop: (error: unknown) => assert.fail(String(error)),
  };
  return { splitter, file, runtime, pieces, offsetSeconds: 0, totalSeconds: SECONDS, maxTagBytes: 0 };
}

/** The files of the pieces. */
async function copies(
  container: Kind['container'],
  file: LocalFile,
  pieces: readonly Piece[],
): Promise<(Buffer | undefined)[]> {
  const files = new Map<number, Buffer>();
  await copyPieces(planOf(container, file, pieces), {
    areFilesMade: true,
    async onSegment(index, { path }) {
      files.set(index, await readFile(path));
      await rm(path);
    },
  });
  return pieces.map((_, index) => files.get(index));
}

/** A sparse file that is filled from the given one as it is read, and the number of bytes filled. */
async function withHoles(path: string, whole: LocalFile) {
  let fetchedBytes = 0;
  const file = await createSparseFile({
    path,
    signal: new AbortController().signal,
    ranges: {
      sizeBytes: whole.sizeBytes,
      async writeTo(target, span) {
        await using to = await open(target, 'r+');
        let at = span.start;
        for await (const chunk of createLocalFileReader({ ...whole, sizeBytes: span.end }, at).chunks()) {
          await to.write(chunk, 0, chunk.length, at);
          at += chunk.length;
        }
        fetchedBytes += span.end - span.start;
        return span;
      },
    },
  });
  return { file, fetchedBytes: () => fetchedBytes };
}

const samples = forSuite(async () => {
  const made = await createAudioSamples();
  await mkdir(join(made.dir, 'holes'));
  return made;
});

const somePieces = fc
  .array(
    fc.record({ start: fc.integer({ min: 0, max: 114_000 }), length: fc.integer({ min: 1, max: 5_000 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((ranges) => ranges.map(({ start, length }) => pieceOf(start / 1_000, (start + length) / 1_000)));

describe('a source with unfetched ranges', () => {
  for (const [name, { container, bytes, isReadWhole = false }] of Object.entries(KINDS)) {
    test(`${name}: any ranges equal those of the whole`, async () => {
      const source = await bytes();
      const whole = { path: join(samples.dir, 'whole'), sizeBytes: source.length };
      await writeFile(whole.path, source);
      const expectedLength = await measureLength(planOf(container, whole, []));
      let run = 0;
      const check = async (pieces: readonly Piece[]) => {
        run += 1;
        const { file, fetchedBytes } = await withHoles(join(samples.dir, 'holes', `${name}-${run}`), whole);
        assert.deepEqual(await measureLength(planOf(container, file, [])), expectedLength);
        assert.deepEqual(await copies(container, file, pieces), await copies(container, whole, pieces));
        await rm(file.path);
        return fetchedBytes() / source.length;
      };
      const share = await check([pieceOf(80, 83)]);
      assert.ok(isReadWhole ? share === 1 : share < 0.9, `${share}`);
      await fc.assert(
        fc.asyncProperty(somePieces, async (pieces) => void (await check(pieces))),
        { numRuns: 12 },
      );
    });
  }

  test('an Ogg whose streams follow each other is declined, as when read as a whole', async () => {
    const first = await encode('opus', OPUS);
    const second = parsePages(first).map((page) => formatPage({ ...page, serial: 1 }));
    const whole = { path: join(samples.dir, 'chained'), sizeBytes: 2 * first.length };
    await writeFile(whole.path, Buffer.concat([first, ...second]));
    const { file } = await withHoles(join(samples.dir, 'holes', 'chained'), whole);
    for (const source of [whole, file])
      await assert.rejects(measureLength(planOf('ogg-opus', source, [])), CopyNotPossibleError);
  });
});
