import { findBox } from './boxes.ts';

/**
 * From the `stss` box (ISO/IEC 14496-12 8.6.2): whether a decoder may begin at a frame. Without the box there
 * is no statement.
 */
export function readSyncTable(tables: Buffer): (frameIndex: number) => boolean {
  const table = findBox(tables, 'stss');
  const listedCount = table === undefined ? 0 : Math.min(table.readUInt32BE(4), (table.length - 8) >>> 2);
  const listed = (entry: number): number => table?.readUInt32BE(8 + 4 * entry) ?? 0;
  return (frameIndex) => {
    let low = 0;
    let high = listedCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (listed(middle) <= frameIndex) low = middle + 1;
      else high = middle;
    }
    return low < listedCount && listed(low) === frameIndex + 1;
  };
}
