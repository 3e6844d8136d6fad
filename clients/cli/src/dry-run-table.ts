/** What a dry run has found, for people: a line a segment. */
import type { CompletedJob } from '@audiosplit/client';
import { formatBytes, formatTime } from './options/quantities.ts';
import { alignColumns } from './table.ts';

/** Names are the last column, so they need no width. Segments that begin before their cut have both times. */
export function describePlan({ segments }: Pick<CompletedJob, 'segments'>): string {
  const overlaps = segments.some(({ contentStart }) => contentStart !== undefined);
  const rows = segments.map(
    ({ index, startTime, contentStart, endTime, cut, size, sizeIsEstimate, fileName }) => [
      String(index + 1),
      formatTime(startTime),
      ...(overlaps ? [formatTime(contentStart ?? startTime)] : []),
      formatTime(endTime),
      formatTime(endTime - startTime),
      cut ?? '',
      `${sizeIsEstimate === true ? '~' : ''}${formatBytes(size)}`,
      fileName,
    ],
  );
  const titles = ['', 'from', ...(overlaps ? ['cut'] : []), 'to', 'length', 'ends by', 'size', 'name'];
  return alignColumns([titles, ...rows], (cell, width) => cell.padStart(width));
}
