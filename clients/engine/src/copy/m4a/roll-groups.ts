import { createBox, findBoxes, uint32 } from './boxes.ts';

/**
 * Frames of AAC, and those of xHE-AAC that contain what a decoder needs before them (ISO/IEC 14496-12 10.1
 * and 10.9).
 */
const ROLL_GROUPS = ['roll', 'prol'];
/** They are repeated in every segment; that of a roll distance takes 18 bytes. */
const MAX_DESCRIPTION_BYTES = 1_024;

/** A statement of the track that applies to all its frames alike, for as many frames as a segment has. */
export function readRollGroups(tables: Buffer, frameCount: number): (count: number) => readonly Buffer[] {
  const descriptions = findBoxes(tables, 'sgpd').filter(({ length }) => length <= MAX_DESCRIPTION_BYTES);
  const uniform = findBoxes(tables, 'sbgp').filter(
    (box) =>
      box.length >= 20 && box[0] === 0 && box.readUInt32BE(8) === 1 && box.readUInt32BE(12) === frameCount,
  );
  const groups = ROLL_GROUPS.flatMap((type) => {
    const description = descriptions.find((box) => groupType(box) === type);
    const members = uniform.find((box) => groupType(box) === type);
    return description === undefined || members === undefined ? [] : [{ description, members }];
  });
  return (count) =>
    groups.flatMap(({ description, members }) => [
      createBox('sgpd', description),
      createBox('sbgp', members.subarray(0, 12), uint32(count), members.subarray(16, 20)),
    ]);
}

function groupType(box: Buffer): string {
  return box.toString('latin1', 4, 8);
}
