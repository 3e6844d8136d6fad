import { crc8, crc16, crc16OverZeros } from './coding/crc.ts';
import { CODED_NUMBER_AT, codedNumberBytesOf, writeCodedNumber } from './frame-header.ts';
import type { FlacFrame } from './walker.ts';

export const CRC16_BYTES = 2;
const VARIABLE_BLOCKS_FLAG = 1;

export interface Numbering {
  readonly isVariable: boolean;
  readonly codedNumber: number;
}

/** The length of the frame with another number. */
export function renumberedBytes({ start, end, header }: FlacFrame, { codedNumber }: Numbering): number {
  return end - start - header.codedNumberBytes + codedNumberBytesOf(codedNumber);
}

/** Whether a frame already has its number. */
export function isNumbered({ header }: FlacFrame, { isVariable, codedNumber }: Numbering): boolean {
  return isVariable === header.hasVariableBlocks && codedNumber === header.codedNumber;
}

/**
 * Writes the parts that change in a frame that gets another number, or counts in another unit: its header
 * and, right after that, the checksum for its end. The body between them stays. A damaged frame stays
 * damaged: its checksum is only corrected by the difference. Returns where the header ends.
 */
export function writeRenumbered(
  target: Buffer,
  at: number,
  { window, start, end, header }: FlacFrame,
  { isVariable, codedNumber }: Numbering,
): number {
  const bodyStart = start + header.headerBytes;
  const bodyEnd = end - CRC16_BYTES;
  window.copy(target, at, start, start + CODED_NUMBER_AT);
  target[at + 1] = ((target[at + 1] ?? 0) & ~VARIABLE_BLOCKS_FLAG) | (isVariable ? VARIABLE_BLOCKS_FLAG : 0);
  const numberEnd = writeCodedNumber(target, at + CODED_NUMBER_AT, codedNumber);
  const oldNumberEnd = start + CODED_NUMBER_AT + header.codedNumberBytes;
  const headerEnd = numberEnd + window.copy(target, numberEnd, oldNumberEnd, bodyStart);
  target[headerEnd - 1] = crc8(target, at, headerEnd - 1);
  const difference = crc16(window, start, bodyStart) ^ crc16(target, at, headerEnd);
  const checksum = window.readUInt16BE(bodyEnd) ^ crc16OverZeros(difference, bodyEnd - bodyStart);
  target.writeUInt16BE(checksum, headerEnd);
  return headerEnd;
}
