import { findBox } from '../../clients/engine/src/copy/m4a/boxes.ts';

/** The samples of an MP4 that precede its audio: where its edit list begins. */
export function leadInSamples(file: Buffer): number {
  const editList = findBox(file, 'moov', 'trak', 'edts', 'elst');
  // After version, flags, number of entries, and the duration of the first entry; both times have 32 bits in version 0.
  if (editList?.readUInt8(0) !== 0) throw new Error('no edit list of version 0');
  return editList.readInt32BE(12);
}
