/** A table of everything that a release publishes, with sizes and destinations. */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Destinations } from './destinations.ts';
import { filesIn, type Packed } from './packed.ts';

export async function releaseTable(packed: readonly Packed[], to: Destinations): Promise<string> {
  const rows = [['kind', 'file', 'packed', 'unpacked', 'files', 'to']];
  for (const { kind, file, folder } of packed) {
    const paths = await filesIn(folder);
    const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).size));
    const unpacked = sizes.reduce((sum, size) => sum + size, 0);
    const own = (await stat(file)).size;
    rows.push([kind, basename(file), kilobytes(own), kilobytes(unpacked), String(paths.length), to.of[kind]]);
  }
  for (const image of to.images) rows.push(['image', image.split('/').at(-1) ?? '', '', '', '', image]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number) => column > 1 && column < 5;
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1e3).toFixed(1)} kB`;
}
