import type { ByteRange } from '@audiosplit/chassis/object-store/object-store';

/**
 * Parses a Range header (RFC 9110, section 14.2). Returns `whole` for no header, another unit, a malformed range, or
 * several ranges, which a server may answer in full.
 */
export function parseByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffixBytes = Math.min(Number(last), sizeBytes);
    if (suffixBytes === 0) return 'unsatisfiable';
    return { firstByte: sizeBytes - suffixBytes, lastByte: sizeBytes - 1 };
  }
  const firstByte = Number(first);
  if (last !== '' && Number(last) < firstByte) return 'whole';
  if (firstByte >= sizeBytes) return 'unsatisfiable';
  return { firstByte, lastByte: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
