import { createBox, findBoxes, uint32 } from './boxes.ts';

/** Frames of AAC, and those of xHE-AAC that hold what a decoder needs before them (ISO/IEC 14496-12 10.1 and 10.9). */
const ROLL_GROUPS: ReadonlySet<string> = new Set(['roll', 'prol']);

/** What a track says of all its frames alike, for as many of them as a segment has. */
export function readRollGroups(tables: Buffer, frameCount: number): (count: number) => readonly Buffer[] {
  const descriptions = findBoxes(tables, 'sgpd');
  const uniform = findBoxes(tables, 'sbgp').filter(
    (box) =>
      ROLL_GROUPS.has(groupType(box)) &&
      box.length >= 20 &&
      box[0] === 0 &&
      box.readUInt32BE(8) === 1 &&
      box.readUInt32BE(12) === frameCount,
  );
  return (count) =>
    uniform.flatMap((box) => {
      const description = descriptions.find((candidate) => groupType(candidate) === groupType(box));
      if (description === undefined) return [];
      const members = createBox('sbgp', box.subarray(0, 12), uint32(count), box.subarray(16, 20));
      return [createBox('sgpd', description), members];
    });
}

function groupType(box: Buffer): string {
  return box.toString('latin1', 4, 8);
}
