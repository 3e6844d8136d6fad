/** The samples of an MP4 that precede its audio: where its edit list begins. */
export function leadInSamples(file: Uint8Array): number {
  const data = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const editList = findBox(data, ['moov', 'trak', 'edts', 'elst']);
  // After version, flags, number of entries, and the duration of the first entry; both times have 32 bits in version 0.
  if (editList?.readUInt8(0) !== 0) throw new Error('no edit list of version 0');
  return editList.readInt32BE(12);
}

/** The content of the first box at a path of types. */
function findBox(data: Buffer, [type, ...rest]: readonly string[]): Buffer | undefined {
  for (let at = 0; at + 8 <= data.length; ) {
    const sizeBytes = data.readUInt32BE(at);
    if (data.toString('latin1', at + 4, at + 8) === type) {
      const content = data.subarray(at + 8, at + sizeBytes);
      return rest.length === 0 ? content : findBox(content, rest);
    }
    // Sizes of 64 bits are for files above 4 GiB.
    if (sizeBytes < 8) return undefined;
    at += sizeBytes;
  }
  return undefined;
}
