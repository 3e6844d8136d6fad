/**
 * Compares chapters that ffmpeg does not write, but reads: each file is made by the tests' own writers, so
 * that ffmpeg finds the same chapters in it. It ignores the tables of ID3v2, and reads the editions of a
 * Matroska one after the other as long as times ascend.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import fc from 'fast-check';
import { AUDIO, cluster, element, simpleBlock, trackEntry, tracks } from '../copy/testing/matroska.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import type { ChapterKind } from './source-chapters.ts';
import {
  assertAsFfmpegReads,
  type Chapter,
  chapterLists,
  FILES_PER_FORMAT,
} from './testing/as-ffmpeg-reads.ts';
import { chaptersElement, matroskaFile } from './testing/container-tables.ts';
import { chapFrame, ctocFrame, cuesheetBlock, flacBlock, id3Tag } from './testing/tag-tables.ts';

const samples = forSuite(createAudioSamples);
const RATE_HZ = 48_000;

interface Table {
  readonly name: string;
  readonly extension: string;
  readonly kind: ChapterKind;
  /** A writer for files with this sound in them. */
  readonly writer: () => Promise<(chapters: readonly Chapter[]) => Buffer>;
}

async function encoded(name: string, ...args: readonly string[]): Promise<Buffer> {
  return await readFile(await samples.make(name, sound(RATE_HZ, 1, 'mono'), ...args));
}

async function nestedTables() {
  const frames = await encoded('bare.mp3', '-id3v2_version', '0', '-write_xing', '0');
  return (chapters: readonly Chapter[]): Buffer => {
    const tables = [
      ctocFrame(4, { id: 'toc', entries: ['book'], isTopLevel: true }),
      ctocFrame(4, { id: 'book', entries: ['part'], title: 'Book' }),
      ctocFrame(4, { id: 'part', entries: chapters.map((_, index) => `c${index}`), isOrdered: true }),
    ];
    const entries = chapters.map(({ startMs, title }, index) => chapFrame(4, `c${index}`, startMs, title));
    return Buffer.concat([id3Tag(4, [...tables, ...entries]), frames]);
  };
}

async function editions() {
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(RATE_HZ);
  const shape = element(0xe1, Buffer.concat([element(0xb5, rate), element(0x6264, Buffer.of(16))]));
  const track = trackEntry({ number: 1, type: AUDIO, codecId: 'A_PCM/INT/LIT', more: shape });
  const silence = cluster([simpleBlock(1, [Buffer.alloc(2 * RATE_HZ)])]);
  return (chapters: readonly Chapter[]): Buffer => {
    const last = chapters.at(-1)?.startMs ?? 0;
    const atoms = chapters.map(({ startMs, title }, index) => ({
      startSeconds: startMs / 1_000,
      title,
      uid: index + 1,
    }));
    // As long as all chapters begin at 0, ffmpeg takes more of them.
    const notLater = last === 0 ? [] : [0, last / 2_000, last / 1_000];
    const others = notLater.map((startSeconds, index) => ({
      startSeconds,
      title: 'Other',
      uid: 100 + index,
    }));
    const isDefault = chapters.length % 2 === 0;
    const table = chaptersElement({ atoms, isDefault }, { atoms: others }, { atoms: others, isHidden: true });
    return matroskaFile(tracks(track), table, silence);
  };
}

async function cuesheets() {
  const whole = await encoded('whole.flac');
  const streamInfoEnd = 42;
  return (chapters: readonly Chapter[]): Buffer => {
    const starts = chapters.map(({ startMs }, index) => ({
      number: index + 1,
      sample: (startMs * RATE_HZ) / 1_000,
      points: [[0, 1] as const],
    }));
    const leadOut = { number: 170, sample: 2 * RATE_HZ * 40_000 };
    const block = flacBlock(5, cuesheetBlock([...starts, leadOut]), false);
    return Buffer.concat([whole.subarray(0, streamInfoEnd), block, whole.subarray(streamInfoEnd)]);
  };
}

const TABLES: readonly Table[] = [
  { name: 'ID3v2 tables inside each other', extension: 'mp3', kind: 'id3', writer: nestedTables },
  { name: 'several editions in Matroska', extension: 'mka', kind: 'matroska', writer: editions },
  { name: 'a CUESHEET block', extension: 'flac', kind: 'flac-cuesheet', writer: cuesheets },
];

for (const { name, extension, kind, writer } of TABLES) {
  test(`${FILES_PER_FORMAT} files with ${name}: the same chapters as ffmpeg reads`, async () => {
    const write = await writer();
    await fc.assert(
      fc.asyncProperty(chapterLists, async (lists) => {
        const paths = await Promise.all(
          lists.map(async (chapters, index) => {
            const path = join(samples.dir, `${index}.${extension}`);
            await writeFile(path, write(chapters));
            return path;
          }),
        );
        await assertAsFfmpegReads(paths, { kind, lists });
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
}
