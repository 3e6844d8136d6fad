import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCase } from '../engine/fuzz-case.ts';
import { ascii, big, FILLER_BYTES, noise, times } from './bytes.ts';
import { PICTURE } from './id3.ts';

const RATE_HZ = 8_000;
const RATE_INDEX = 11;
const FRAME_SAMPLES = 1_024;
const DELAY_SAMPLES = 1_024;

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([big(4, body.length + 8), ascii(type), body]);
}

function fullBox(type: string, ...parts: readonly Buffer[]): Buffer {
  return box(type, Buffer.alloc(4), ...parts);
}

interface MovieSpec {
  readonly frames: readonly Buffer[];
  readonly framesPerChunk: number;
  /** Where in the file the first frame lies. */
  readonly mediaAt: number;
  readonly isWide?: boolean;
  readonly trimming: 'edit list' | 'iTunes' | 'none';
}

function descriptor(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, 0x80, 0x80, 0x80, body.length), body]);
}

function sampleDescription(): Buffer {
  const config = big(2, (2 << 11) | (RATE_INDEX << 7) | (1 << 3));
  const decoder = descriptor(4, Buffer.of(0x40, 0x15), Buffer.alloc(11), descriptor(5, config));
  const esds = fullBox('esds', descriptor(3, Buffer.alloc(3), decoder, descriptor(6, Buffer.of(2))));
  const sound = Buffer.concat([
    Buffer.alloc(6),
    big(2, 1),
    Buffer.alloc(8),
    big(2, 1, 16, 0, 0),
    big(4, RATE_HZ * 65_536),
  ]);
  return fullBox('stsd', big(4, 1), box('mp4a', sound, esds));
}

function movie({ frames, framesPerChunk, mediaAt, isWide = false, trimming }: MovieSpec): Buffer {
  const chunkCount = Math.ceil(frames.length / framesPerChunk);
  const chunkAt = (chunk: number): number =>
    frames.slice(0, chunk * framesPerChunk).reduce((at, frame) => at + frame.length, mediaAt);
  const lastCount = frames.length - (chunkCount - 1) * framesPerChunk;
  const runs =
    lastCount === framesPerChunk ? [1, framesPerChunk, 1] : [1, framesPerChunk, 1, chunkCount, lastCount, 1];
  const samples = frames.length * FRAME_SAMPLES;
  const tables = box(
    'stbl',
    sampleDescription(),
    fullBox('stts', big(4, 1, frames.length, FRAME_SAMPLES)),
    fullBox('stsc', big(4, runs.length / 3, ...runs)),
    fullBox('stsz', big(4, 0, frames.length, ...frames.map((frame) => frame.length))),
    fullBox(isWide ? 'co64' : 'stco', big(4, chunkCount), big(isWide ? 8 : 4, ...times(chunkCount, chunkAt))),
  );
  const media = box(
    'mdia',
    fullBox('mdhd', big(4, 0, 0, RATE_HZ, samples), big(2, 0x55c4, 0)),
    fullBox('hdlr', big(4, 0), ascii('soun'), Buffer.alloc(13)),
    box('minf', fullBox('smhd', Buffer.alloc(4)), tables),
  );
  const edit = fullBox('elst', big(4, 1, samples - DELAY_SAMPLES, DELAY_SAMPLES, 0x10000));
  const track = box(
    'trak',
    fullBox('tkhd', big(4, 0, 0, 1, 0, samples), Buffer.alloc(60)),
    ...(trimming === 'edit list' ? [box('edts', edit)] : []),
    media,
  );
  const header = fullBox('mvhd', big(4, 0, 0, RATE_HZ, samples, 0x10000), Buffer.alloc(76), big(4, 2));
  return box('moov', header, track, tags(trimming === 'iTunes' ? samples : undefined));
}

function tags(gaplessSamples: number | undefined): Buffer {
  const text = box('data', big(4, 1, 0), ascii('Title'));
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0');
  const gapless =
    gaplessSamples === undefined
      ? []
      : [
          box(
            '----',
            fullBox('mean', ascii('com.apple.iTunes')),
            fullBox('name', ascii('iTunSMPB')),
            box(
              'data',
              big(4, 1, 0),
              ascii(
                ` 00000000 ${hex(DELAY_SAMPLES, 8)} ${hex(24, 8)} ${hex(gaplessSamples - DELAY_SAMPLES - 24, 16)}`,
              ),
            ),
          ),
        ];
  const items = [
    box('\u00a9nam', text),
    box('trkn', box('data', big(4, 0, 0), big(2, 0, 3, 9, 0))),
    box('covr', box('data', big(4, 13, 0), PICTURE)),
    ...gapless,
  ];
  return box(
    'udta',
    fullBox('meta', fullBox('hdlr', big(4, 0), ascii('mdirappl'), Buffer.alloc(9)), box('ilst', ...items)),
  );
}

const FILE_TYPE = box('ftyp', Buffer.concat([ascii('M4A '), big(4, 512), ascii('isom')]));
const FRAMES = times(26, (index) => noise(8 + (index % 5), index + 1));

type Layout = Omit<MovieSpec, 'mediaAt' | 'frames'>;

/** The index in front: its own length decides where the media lies. */
function fastStart(layout: Layout, filler = Buffer.alloc(0), fillerBytes = 0): Buffer {
  const measured = movie({ ...layout, frames: FRAMES, mediaAt: 0 });
  const mediaAt = FILE_TYPE.length + filler.length + fillerBytes + measured.length + 8;
  return Buffer.concat([
    FILE_TYPE,
    filler,
    movie({ ...layout, frames: FRAMES, mediaAt }),
    box('mdat', ...FRAMES),
  ]);
}

/** Media in front: what `filler` holds lies between it and the index. */
function indexLast(layout: Layout, filler: Buffer = Buffer.alloc(0)): Buffer {
  const mediaAt = FILE_TYPE.length + 8;
  return Buffer.concat([
    FILE_TYPE,
    box('mdat', ...FRAMES),
    filler,
    movie({ ...layout, frames: FRAMES, mediaAt }),
  ]);
}

/** Real frames: a mutant of noise would not come past the first fields of one. */
const HE_AAC = ['he-aac-v1.m4a', 'he-aac-v2.m4a'].map((name) =>
  readFileSync(join(import.meta.dirname, '../../suites/golden/he-aac', name)),
);

export function m4aSeeds(): readonly Buffer[] {
  const freeHead = Buffer.concat([big(4, FILLER_BYTES + 8), ascii('free')]);
  const fragment = Buffer.concat([
    FILE_TYPE,
    box('moov', box('mvex', Buffer.alloc(8))),
    box('moof', Buffer.alloc(8)),
  ]);
  return [
    createCase(fastStart({ framesPerChunk: 5, trimming: 'edit list' })),
    createCase(fastStart({ framesPerChunk: 1, trimming: 'iTunes', isWide: true })),
    createCase(fastStart({ framesPerChunk: 26, trimming: 'none' })),
    createCase(indexLast({ framesPerChunk: 7, trimming: 'edit list' })),
    createCase(indexLast({ framesPerChunk: 26, trimming: 'none', isWide: true })),
    createCase(fragment),
    createCase(indexLast({ framesPerChunk: 7, trimming: 'none' }, box('free')), {
      repeat: { at: FILE_TYPE.length + 8 + Buffer.concat(FRAMES).length, byteCount: 8, times: 3_000 },
    }),
    createCase(fastStart({ framesPerChunk: 3, trimming: 'edit list' }, freeHead, FILLER_BYTES), {
      repeat: { at: FILE_TYPE.length + 7, byteCount: 1, times: FILLER_BYTES },
      chunking: 5,
    }),
    ...HE_AAC.map((source) => createCase(source)),
  ];
}

/** The body of an index, as parsers of the movie box take it. */
export function movieSeeds(): readonly Buffer[] {
  const layouts: readonly Layout[] = [
    { framesPerChunk: 5, trimming: 'edit list' },
    { framesPerChunk: 26, trimming: 'iTunes' },
  ];
  return layouts.map((layout) =>
    createCase(movie({ ...layout, frames: FRAMES.slice(0, 12), mediaAt: 100 }).subarray(8)),
  );
}
