import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runFfmpeg, withScratchDir } from './ffmpeg.ts';

const LINE = /^((?:\\[\s\S]|[^=\\\n])+)=((?:\\[\s\S]|[^\\\n])*)$/gm;

/**
 * Tags as ffmpeg reads them, names in lower case. One process reads those of all files, because starting it
 * takes the most time.
 */
export function readAllTags(
  files: readonly Uint8Array[],
  extension: string,
): Promise<readonly ReadonlyMap<string, string>[]> {
  return withScratchDir(async (dir) => {
    const inputs = files.map((_, index) => join(dir, `${index}.${extension}`));
    await Promise.all(files.map((file, index) => writeFile(inputs[index] ?? '', file)));
    // Ogg keeps them on the stream.
    const place = ['ogg', 'opus'].includes(extension) ? ':s:0' : '';
    const outputs = inputs.map((path) => `${path}.txt`);
    await runFfmpeg([
      ...inputs.flatMap((path) => ['-i', path]),
      ...outputs.flatMap((path, index) => [
        ...['-map_metadata', `${index}${place}`, '-map_chapters', String(index)],
        ...['-fflags', '+bitexact', '-f', 'ffmetadata', path],
      ]),
    ]);
    const texts = await Promise.all(outputs.map((path) => readFile(path, 'utf8')));
    const plain = (value = ''): string => value.replaceAll(/\\([\s\S])/g, '$1');
    return texts.map(
      (text) =>
        new Map([...text.matchAll(LINE)].map(([, name, value]) => [plain(name).toLowerCase(), plain(value)])),
    );
  });
}

export async function readTags(file: Uint8Array, extension: string): Promise<ReadonlyMap<string, string>> {
  const [tags] = await readAllTags([file], extension);
  return tags ?? assert.fail();
}
