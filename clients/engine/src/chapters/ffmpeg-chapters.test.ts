/**
 * Compares chapters that ffmpeg wrote with those that it reads. One run of ffmpeg writes or reads a whole
 * batch of files, because starting it costs more than the work.
 */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { runFfmpeg } from '../copy/testing/ffmpeg.ts';
import { sniff } from '../sniff/sniff.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { readChapters } from './read-chapters.ts';
import type { ChapterKind } from './source-chapters.ts';

const samples = await createAudioSamples();
after(() => samples[Symbol.asyncDispose]());

const FILES_PER_FORMAT = 25;
const MAX_CHAPTERS = 12;
const SOUND_SECONDS = 2;
/** Containers use their own ticks, and ffmpeg's reader uses milliseconds. */
const TOLERANCE_SECONDS = 0.001_5;

interface Format {
  readonly extension: string;
  readonly kind: ChapterKind;
  readonly codec: string;
  readonly options?: readonly string[];
  /** This build of ffmpeg writes no chapters there, but comments that it reads as chapters. */
  readonly isWrittenAsComments?: true;
}

const FORMATS: readonly Format[] = [
  { extension: 'mp3', kind: 'id3', codec: 'libmp3lame' },
  { extension: 'v3.mp3', kind: 'id3', codec: 'libmp3lame', options: ['-id3v2_version', '3'] },
  { extension: 'aac', kind: 'id3', codec: 'aac', options: ['-write_id3v2', '1'] },
  { extension: 'aiff', kind: 'id3', codec: 'pcm_s16be', options: ['-write_id3v2', '1'] },
  { extension: 'm4a', kind: 'movie-track', codec: 'aac' },
  { extension: 'm4b', kind: 'movie-track', codec: 'aac', options: ['-f', 'ipod', '-movflags', '+faststart'] },
  { extension: 'mov', kind: 'movie-track', codec: 'aac' },
  { extension: 'mka', kind: 'matroska', codec: 'libopus' },
  { extension: 'mkv', kind: 'matroska', codec: 'libvorbis' },
  { extension: 'webm', kind: 'matroska', codec: 'libopus' },
  { extension: 'ogg', kind: 'vorbis-comments', codec: 'libvorbis', isWrittenAsComments: true },
  { extension: 'opus', kind: 'vorbis-comments', codec: 'libopus', isWrittenAsComments: true },
  { extension: 'flac', kind: 'vorbis-comments', codec: 'flac', isWrittenAsComments: true },
];

interface Chapter {
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
const chapterList: fc.Arbitrary<readonly Chapter[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 40_000_000 }), { minLength: 1, maxLength: MAX_CHAPTERS })
  .chain((starts) => {
    const sorted = starts.sort((one, other) => one - other);
    return fc
      .array(title, { minLength: sorted.length, maxLength: sorted.length })
      .map((titles) => sorted.map((startMs, index) => ({ startMs, title: titles[index] ?? '' })));
  });

function escapeValue(text: string): string {
  return text.replaceAll(/[=;#\\\n]/g, '\\$&');
}

function toMetadata(chapters: readonly Chapter[], asComments: boolean): string {
  const lines = chapters.flatMap(({ startMs, title: name }, index) => {
    const endMs = chapters[index + 1]?.startMs ?? startMs + 1_000;
    if (!asComments)
      return [
        '[CHAPTER]',
        'TIMEBASE=1/1000',
        `START=${startMs}`,
        `END=${endMs}`,
        `title=${escapeValue(name)}`,
      ];
    const key = `CHAPTER${String(index).padStart(3, '0')}`;
    return [`${key}=${clock(startMs)}`, `${key}NAME=${escapeValue(name)}`];
  });
  return `;FFMETADATA1\n${lines.join('\n')}\n`;
}

function clock(ms: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1_000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${rest}`;
}

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

/** Writes a file for each list, and returns their paths. */
async function writeFiles(
  format: Format,
  lists: readonly (readonly Chapter[])[],
): Promise<readonly string[]> {
  const { extension, codec, options = [], isWrittenAsComments = false } = format;
  const source = await samples.make(
    `source.${extension}`,
    sound(48_000, SOUND_SECONDS, 'mono'),
    '-c:a',
    codec,
    ...options,
  );
  const metadata = await Promise.all(
    lists.map(async (chapters, index) => {
      const path = join(samples.dir, `${extension}.${index}.txt`);
      await writeFile(path, toMetadata(chapters, isWrittenAsComments));
      return path;
    }),
  );
  const paths = lists.map((_, index) => join(samples.dir, `${index}.${extension}`));
  await runFfmpeg([
    '-i',
    source,
    ...metadata.flatMap((path) => ['-i', path]),
    ...paths.flatMap((path, index) => {
      const from = ['-map_metadata', String(index + 1), '-map_chapters', String(index + 1)];
      return ['-map', '0:a', '-c', 'copy', ...from, ...options, '-y', path];
    }),
  ]);
  return paths;
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

for (const format of FORMATS) {
  test(`${FILES_PER_FORMAT} files of ffmpeg, ${format.extension}: the same chapters as ffmpeg reads`, async () => {
    const lists = fc.array(chapterList, { minLength: FILES_PER_FORMAT, maxLength: FILES_PER_FORMAT });
    await fc.assert(
      fc.asyncProperty(lists, async (all) => {
        const paths = await writeFiles(format, all);
        const expected = await readWithFfmpeg(paths);
        for (const [index, path] of paths.entries()) {
          const { container } = sniff(await readFile(path));
          const found = await readChapters({ path, sizeBytes: (await stat(path)).size }, { container });
          const reference = fromMetadata(expected[index] ?? '');
          assert.equal(reference.length, all[index]?.length);
          assert.equal(found?.kind, format.kind);
          const titles = reference.map((chapter) => chapter.title.trim());
          assert.deepEqual(
            found.chapters.map((chapter) => chapter.title ?? ''),
            titles,
          );
          for (const [position, { startSeconds }] of found.chapters.entries()) {
            const difference = startSeconds - (reference[position]?.startSeconds ?? Number.NaN);
            assert.ok(
              Math.abs(difference) <= TOLERANCE_SECONDS,
              `chapter ${position} is off by ${difference}`,
            );
          }
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
}
