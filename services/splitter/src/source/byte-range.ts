/** The Content-Range of a 206: positions of the first and last byte, and the total size if it is stated. */
interface ContentRange {
  readonly first: number;
  readonly last: number;
  readonly total?: number;
}

/** RFC 9110, section 14.4. Undefined for another unit, an unsatisfied range, or a contradictory one. */
export function parseContentRange(value: string | undefined): ContentRange | undefined {
  const match = /^bytes\s+(\d+)-(\d+)\/(\d+|\*)$/i.exec(value?.trim() ?? '');
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2]);
  if (!Number.isSafeInteger(last) || first > last) return undefined;
  if (match[3] === '*') return { first, last };
  const total = Number(match[3]);
  return Number.isSafeInteger(total) && last < total ? { first, last, total } : undefined;
}

/** A Content-Length; undefined if it is absent or not a size. */
export function parseContentLength(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d+$/.test(value)) return undefined;
  const bytes = Number(value);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/**
 * The value for If-Range which ensures that a resumed body has the same bytes: a strong ETag, or a
 * Last-Modified that counts as strong by RFC 9110, section 8.8.2.2 (at least a second before the response's
 * own Date). Undefined if the source cannot be resumed.
 */
export function resumeValidator(headers: Readonly<Record<string, string>>): string | undefined {
  if (headers['accept-ranges']?.trim().toLowerCase() !== 'bytes') return undefined;
  const etag = headers.etag?.trim();
  if (etag !== undefined && /^"[^"]*"$/.test(etag)) return etag;
  const lastModified = headers['last-modified'];
  if (lastModified === undefined) return undefined;
  const ageMs = Date.parse(headers.date ?? '') - Date.parse(lastModified);
  return ageMs >= 1000 ? lastModified : undefined;
}
