/** Lists of chapters, and a comparison with the chapters that ffmpeg reads. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import fc from 'fast-check';
import { runFfmpeg } from '../../copy/testing/ffmpeg.ts';
import { sniff } from '../../sniff/sniff.ts';
import { readChapters } from '../read-chapters.ts';
import type { ChapterKind } from '../source-chapters.ts';

export const FILES_PER_FORMAT = 25;
const MAX_CHAPTERS = 12;
/** Containers use their own ticks, and ffmpeg's reader uses milliseconds. */
const TOLERANCE_SECONDS = 0.001_5;

export interface Chapter {
  readonly startMs: number;
  readonly title: string;
}

const character = fc.oneof(
  fc.constantFrom(...'abc XYZ09=;#\\"\'[]{}äß日本😀'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const title = fc
  .array(character, { minLength: 1, maxLength: 30 })
  .map((characters) =>
    characters
      .join('')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
      .trim(),
  )
  // A line of ffmpeg's metadata must not end with a backslash.
  .filter((text) => text !== '' && !text.endsWith('\\'));
/** In ascending order. */
const chapterList: fc.Arbitrary<readonly Chapter[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 40_000_000 }), { minLength: 1, maxLength: MAX_CHAPTERS })
  .chain((starts) => {
    const sorted = starts.sort((one, other) => one - other);
    return fc
      .array(title, { minLength: sorted.length, maxLength: sorted.length })
      .map((titles) => sorted.map((startMs, index) => ({ startMs, title: titles[index] ?? '' })));
  });

export const chapterLists = fc.array(chapterList, {
  minLength: FILES_PER_FORMAT,
  maxLength: FILES_PER_FORMAT,
});

function fromMetadata(text: string): readonly { readonly startSeconds: number; readonly title: string }[] {
  return text
    .split('[CHAPTER]\n')
    .slice(1)
    .map((section) => {
      const field = (name: string): string =>
        (new RegExp(`^${name}=((?:\\\\[\\s\\S]|[^\\\\\\n])*)$`, 'm').exec(section)?.[1] ?? '').replaceAll(
          /\\([\s\S])/g,
          '$1',
        );
      const [numerator, denominator] = field('TIMEBASE').split('/').map(Number);
      const startSeconds = (Number(field('START')) * (numerator ?? 0)) / (denominator ?? 1);
      return { startSeconds, title: field('title') };
    });
}

/**
 * Returns the chapters that ffmpeg reads, as they are in the file: the start of the audio is not subtracted.
 */
async function readWithFfmpeg(paths: readonly string[]): Promise<readonly string[]> {
  const outputs = paths.map((path) => `${path}.read.txt`);
  await runFfmpeg([
    '-copyts',
    ...paths.flatMap((path) => ['-i', path]),
    ...outputs.flatMap((path, index) => ['-map_chapters', String(index), '-f', 'ffmetadata', '-y', path]),
  ]);
  return Promise.all(outputs.map((path) => readFile(path, 'utf8')));
}

interface Expected {
  readonly kind: ChapterKind;
  /** What was written, of which only the number is compared. */
  readonly lists: readonly (readonly Chapter[])[];
}

/** Checks that `readChapters` finds in each file what ffmpeg finds there. */
export async function assertAsFfmpegReads(
  paths: readonly string[],
  { kind, lists }: Expected,
): Promise<void> {
  const expected = await readWithFfmpeg(paths);
  for (const [index, path] of paths.entries()) {
    const { container } = sniff(await readFile(path));
    const found = await readChapters({ path, sizeBytes: (await stat(path)).size }, { container });
    const reference = fromMetadata(expected[index] ?? '');
    assert.equal(reference.length, lists[index]?.length);
    assert.equal(found?.kind, kind);
    assert.deepEqual(
      found.chapters.map((chapter) => chapter.title ?? ''),
      reference.map((chapter) => chapter.title.trim()),
    );
    for (const [position, { startSeconds }] of found.chapters.entries()) {
      const difference = startSeconds - (reference[position]?.startSeconds ?? Number.NaN);
      assert.ok(Math.abs(difference) <= TOLERANCE_SECONDS, `chapter ${position} is off by ${difference}`);
    }
  }
}
