import { createLocalFileReader, type LocalFile } from './local-file.ts';

/** Up to `byteCount` bytes from `start` on; fewer if the file ends. Holes are filled first. */
export async function readPart(file: LocalFile, start: number, byteCount: number): Promise<Buffer> {
  const part = { ...file, sizeBytes: Math.min(file.sizeBytes, start + byteCount) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of createLocalFileReader(part, start).chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
