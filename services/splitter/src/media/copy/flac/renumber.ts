import { crc8, crc16, crc16OverZeros } from './crc.ts';
import { CODED_NUMBER_AT, encodeNumber } from './frame-header.ts';
import type { FlacFrame } from './walker.ts';

const CRC16_BYTES = 2;

/**
 * The parts of a frame that carries another number: new header, unchanged body, new checksum. A frame that was
 * damaged stays so: its checksum is corrected by the difference only.
 */
export function renumberFrame(
  { bytes, header }: FlacFrame,
  codedNumber: number,
): readonly [Buffer, Buffer, Buffer] {
  const { headerBytes, codedNumberBytes } = header;
  const oldHeader = bytes.subarray(0, headerBytes);
  const body = bytes.subarray(headerBytes, bytes.length - CRC16_BYTES);
  const newHeader = Buffer.concat([
    oldHeader.subarray(0, CODED_NUMBER_AT),
    encodeNumber(codedNumber),
    oldHeader.subarray(CODED_NUMBER_AT + codedNumberBytes),
  ]);
  newHeader[newHeader.length - 1] = crc8(newHeader.subarray(0, -1));
  const difference = crc16(oldHeader) ^ crc16(newHeader);
  const checksum = Buffer.alloc(CRC16_BYTES);
  checksum.writeUInt16BE(
    bytes.readUInt16BE(bytes.length - CRC16_BYTES) ^ crc16OverZeros(difference, body.length),
  );
  return [newHeader, body, checksum];
}
