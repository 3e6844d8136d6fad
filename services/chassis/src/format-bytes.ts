/** Sizes as people read them; they count in thousands, as file managers and upload limits do. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Three digits are enough to tell sizes apart: `384 kB`, `1.25 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would round up to 1000 belongs to the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A size and the limit that it exceeds; to the byte where three digits do not tell them apart. */
export function formatExcess(bytes: number, maxBytes: number): readonly [size: string, limit: string] {
  const sizes = [formatBytes(bytes), formatBytes(maxBytes)] as const;
  if (sizes[0] !== sizes[1]) return sizes;
  return [`${bytes.toLocaleString('en')} bytes`, `${maxBytes.toLocaleString('en')} bytes`];
}
