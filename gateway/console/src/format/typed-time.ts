import { parseLengthSeconds, parseTimeSeconds } from '@audiosplit/client';

const MAX_SECONDS = 1_000_000;

/** Parses what the CLI takes: `90`, `1:30`, `1m30s`, `1h`, `21.6`. Undefined for anything else, and below milliseconds. */
export function parseTime(text: string): number | undefined {
  return toMilliseconds(parseTimeSeconds(text.trim()));
}

/** Parses a length in seconds, as in `0.5` or `500ms`, within bounds. Undefined for anything else. */
export function parseLengthWithin(text: string, least: number, most: number): number | undefined {
  const seconds = toMilliseconds(parseLengthSeconds(text.trim()));
  return seconds !== undefined && seconds >= least && seconds <= most ? seconds : undefined;
}

function toMilliseconds(seconds: number | undefined): number | undefined {
  if (seconds === undefined || seconds > MAX_SECONDS) return undefined;
  const exact = Math.round(seconds * 1_000) / 1_000;
  return Math.abs(exact - seconds) < 1e-6 ? exact : undefined;
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
