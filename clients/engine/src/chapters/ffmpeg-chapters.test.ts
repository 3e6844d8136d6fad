/**
 * Compares chapters that ffmpeg wrote with those that it reads. One run of ffmpeg writes or reads a whole
 * batch of files, because starting it costs more than the work.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { runFfmpeg } from '../copy/testing/ffmpeg.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import type { ChapterKind } from './source-chapters.ts';
import {
  assertAsFfmpegReads,
  type Chapter,
  chapterLists,
  FILES_PER_FORMAT,
} from './testing/as-ffmpeg-reads.ts';

const samples = await createAudioSamples();
after(() => samples[Symbol.asyncDispose]());

const SOUND_SECONDS = 2;

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

for (const format of FORMATS) {
  test(`${FILES_PER_FORMAT} files of ffmpeg, ${format.extension}: the same chapters as ffmpeg reads`, async () => {
    await fc.assert(
      fc.asyncProperty(chapterLists, async (lists) => {
        await assertAsFfmpegReads(await writeFiles(format, lists), { kind: format.kind, lists });
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
}
