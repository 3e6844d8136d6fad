import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runFfmpeg, withScratchDir } from './ffmpeg.ts';

const LINE = /^((?:\\[\s\S]|[^=\\\n])+)=((?:\\[\s\S]|[^\\\n])*)$/gm;

/** A file's tags as ffmpeg reads them, names in lower case; Ogg keeps them on the stream. */
export function readTags(file: Uint8Array, extension: string): Promise<ReadonlyMap<string, string>> {
  return withScratchDir(async (dir) => {
    const path = join(dir, `file.${extension}`);
    await writeFile(path, file);
    const from = ['ogg', 'opus'].includes(extension) ? '0:s:0' : '0';
    const text = await runFfmpeg([
      '-i',
      path,
      '-map_metadata',
      from,
      '-fflags',
      '+bitexact',
      '-f',
      'ffmetadata',
      'pipe:1',
    ]);
    const plain = (value = ''): string => value.replaceAll(/\\([\s\S])/g, '$1');
    return new Map(
      [...text.toString().matchAll(LINE)].map(([, name, value]) => [plain(name).toLowerCase(), plain(value)]),
    );
  });
}
