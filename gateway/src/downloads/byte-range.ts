import type { ByteRange } from '@audiosplit/chassis/object-store/object-store';

/**
 * The part of a file that a Range header asks for (RFC 9110, section 14.2). `whole` where there is nothing
 * to heed: no header, another unit, a malformed one, or several ranges, which a server may answer in full.
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
