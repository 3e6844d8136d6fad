/** As in the API: hours with one to three digits, minutes alone up to 999. */
const CLOCK = /^(?:\d{1,3}:[0-5]?\d|\d{1,3}):[0-5]\d(?:\.\d{1,3})?$/;
const SECONDS = /^\d{1,7}(?:\.\d{1,3})?$/;
const MAX_SECONDS = 1_000_000;

/** Parses `[H:]M:SS[.mmm]` and plain seconds. Undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const typed = text.trim();
  if (!CLOCK.test(typed) && !SECONDS.test(typed)) return undefined;
  const seconds = typed.split(':').reduce((total, part) => total * 60 + Number(part), 0);
  return seconds > MAX_SECONDS ? undefined : Math.round(seconds * 1_000) / 1_000;
}

/** 1:05, or 1:05.250 where there are milliseconds. */
export function formatTime(seconds: number): string {
  const ms = Math.round(seconds * 1_000);
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60];
  const minutes = h > 0 ? `${h}:${String(m).padStart(2, '0')}` : m;
  const rest = ms % 1_000 === 0 ? '' : `.${String(ms % 1_000).padStart(3, '0')}`;
  return `${minutes}:${String(s).padStart(2, '0')}${rest}`;
}

/** Parses a plain decimal number within bounds. Undefined for anything else. */
export function parseWithin(text: string, least: number, most: number): number | undefined {
  if (!/^\s*\d+(\.\d*)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}
