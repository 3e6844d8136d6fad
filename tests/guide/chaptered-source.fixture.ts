/** Small sources with chapters of their own, as podcasts and audiobooks have them, and the tags of a file. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../harness/ffmpeg.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

export interface ChapteredSource {
  /** Page of the guide that cuts it. */
  readonly page: string;
  readonly name: string;
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[];
  readonly encoding: readonly string[];
  /** Names of the segments. */
  readonly files: readonly string[];
}

const TOUR_SECONDS = 48;

export const CHAPTERED_SOURCES: readonly ChapteredSource[] = [
  {
    page: 'guide/podcasts.md',
    name: 'episode.mp3',
    chapters: [
      { startSeconds: 0, title: 'Hello' },
      { startSeconds: 12, title: 'Why?' },
      { startSeconds: 30, title: 'Goodbye' },
    ],
    encoding: ['-c:a', 'copy', '-id3v2_version', '3'],
    files: ['1 Hello.mp3', '2 Why_.mp3', '3 Goodbye.mp3'],
  },
  {
    page: 'guide/audiobooks.md',
    name: 'book.m4b',
    chapters: [
      { startSeconds: 0, title: 'Prologue' },
      { startSeconds: 9.5, title: 'The ford' },
      { startSeconds: 39.5, title: 'Epilogue' },
    ],
    // One second of silence in five.
    encoding: ['-af', "volume=0:enable='gte(mod(t,5),4)'", '-c:a', 'aac', '-b:a', '48k', '-f', 'ipod'],
    files: ['1 Prologue.m4a', '2 The ford (1_2).m4a', '3 The ford (2_2).m4a', '4 Epilogue.m4a'],
  },
];

export async function makeChapteredSource({ name, chapters, encoding }: ChapteredSource): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const metadata = join(folder.path, 'metadata.txt');
  await writeFile(
    metadata,
    [
      ';FFMETADATA1\ntitle=Bridges\nartist=Ann Author\nalbum=Bridges\ngenre=Speech\ndate=2027\n',
      ...chapters.map(({ startSeconds, title }, index) => {
        const endSeconds = chapters[index + 1]?.startSeconds ?? TOUR_SECONDS;
        return `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${startSeconds * 1000}\nEND=${endSeconds * 1000}\ntitle=${title}\n`;
      }),
    ].join(''),
  );
  const path = join(folder.path, name);
  const cover = ['-f', 'lavfi', '-i', 'color=c=teal:s=32x32:d=0.04'];
  const inputs = ['-i', TOUR_SAMPLE_PATH, '-f', 'ffmetadata', '-i', metadata, ...cover];
  const maps = ['-map', '0:a', '-map', '2:v', '-map_metadata', '1', '-map_chapters', '1'];
  const picture = ['-c:v', 'png', '-frames:v', '1', '-disposition:v', 'attached_pic'];
  await runFfmpeg([...inputs, ...maps, ...picture, ...encoding, path]);
  return readFile(path);
}

const TAGS = ['title', 'artist', 'album', 'genre', 'date', 'track'];

/** The tags by name, and the cover in base64. */
export async function readTags(name: string, bytes: Uint8Array): Promise<Record<string, string>> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, `file${extname(name)}`);
  await writeFile(path, bytes);
  const metadata = await runFfmpeg(['-i', path, '-f', 'ffmetadata', 'pipe:1']);
  const lines = metadata.toString().split('[CHAPTER]')[0]?.split('\n') ?? [];
  const pairs = lines.map((line) => line.split('=', 2)).filter(([key = '']) => TAGS.includes(key));
  const cover = await runFfmpeg(['-i', path, '-map', '0:v', '-c', 'copy', '-f', 'image2pipe', 'pipe:1']);
  return { ...Object.fromEntries(pairs), cover: cover.toString('base64') };
}

async function runFfmpeg(args: readonly string[]): Promise<Buffer> {
  const path = await resolveFfmpegPath(undefined);
  const options = { encoding: 'buffer' } as const;
  const { stdout } = await promisify(execFile)(path, ['-nostdin', '-v', 'error', '-y', ...args], options);
  return stdout;
}
