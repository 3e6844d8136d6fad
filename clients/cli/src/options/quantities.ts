/** Sizes, rates and levels as people type them. Whatever is not one reads as undefined. */

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/**
 * Bytes: `26214400`, `25MB` (decimal), `25MiB` (binary, IEC 80000-13), in either case of letters. A bare
 * `25M` is refused, as it means the one to some and the other to others.
 */
export function parseSizeBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = BYTES_PER_UNIT[unit.toLowerCase()];
  if (number === undefined || factor === undefined) return undefined;
  const bytes = Number(number) * factor;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `48000`, `48k`, `44.1kHz`, `128kbps`: whole units. */
export function parseThousands(text: string): number | undefined {
  const [, number, kilo] = /^(\d+(?:\.\d+)?) ?(k?)(?:hz|bps|bit\/s)?$/i.exec(text) ?? [];
  if (number === undefined) return undefined;
  const value = Math.round(Number(number) * (kilo === '' ? 1 : 1_000) * 1e6) / 1e6;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `-16`, `-23.5`, `-40dB`, `-16LUFS`. */
export function parseLevel(text: string): number | undefined {
  const [, number] = /^([+-]?\d+(?:\.\d+)?) ?(?:db|dbfs|lufs)?$/i.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `384 kB`, `1.25 GB`: in thousands, as file managers count. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would round up to 1000 belongs to the next unit.
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit]}`;
}

/** `0:09`, `12:30`, `1:02:03`. */
export function formatClock(totalSeconds: number): string {
  const seconds = Math.ceil(totalSeconds);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const padded = (value: number) => String(value).padStart(2, '0');
  const rest = `${hours > 0 ? padded(minutes) : minutes}:${padded(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** `0:09.250`, `1:02:03.000`: to the millisecond, as cuts are. */
export function formatTime(totalSeconds: number): string {
  const milliseconds = Math.round(totalSeconds * 1_000);
  const whole = Math.floor(milliseconds / 1_000);
  return `${formatClock(whole)}.${String(milliseconds % 1_000).padStart(3, '0')}`;
}
