/** Sizes for people, in powers of a thousand, as in file managers and upload limits. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Three digits: `384 kB`, `1.25 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that rounds up to 1000 gets the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A size and the limit it exceeds; in bytes if three digits do not distinguish them. */
export function formatExcess(bytes: number, maxBytes: number): readonly [size: string, limit: string] {
  const sizes = [formatBytes(bytes), formatBytes(maxBytes)] as const;
  if (sizes[0] !== sizes[1]) return sizes;
  return [`${bytes.toLocaleString('en')} bytes`, `${maxBytes.toLocaleString('en')} bytes`];
}
