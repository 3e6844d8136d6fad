/** Formats for the user. Sizes use powers of 1,000, like file managers and the upload limits. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** 4:05 or 1:02:03. */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = `${h > 0 ? String(m).padStart(2, '0') : m}:${String(s).padStart(2, '0')}`;
  return h > 0 ? `${h}:${tail}` : tail;
}

/** 4:05.120, for the position of a cut. */
export function formatExactClock(seconds: number): string {
  const ms = Math.max(0, Math.round(seconds * 1_000));
  return `${formatClock(Math.floor(ms / 1_000))}.${String(ms % 1_000).padStart(3, '0')}`;
}

/** 45 s, 5 min, 1 h 30 min. */
export function formatSpan(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const parts = [h > 0 ? `${h} h` : '', m > 0 ? `${m} min` : '', s > 0 && h === 0 ? `${s} s` : ''];
  return parts.filter((part) => part !== '').join(' ');
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function formatAgo(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  if (Math.abs(seconds) < 45) return 'just now';
  if (Math.abs(seconds) < 3_600) return relative.format(Math.round(seconds / 60), 'minute');
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

export function formatDate(iso: string): string {
  return dates.format(new Date(iso));
}

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

export function formatDay(iso: string): string {
  return days.format(new Date(iso));
}

/** Nov 21 – Dec 21, 2026. */
export function formatDays(start: string, end: string): string {
  return days.formatRange(new Date(start), new Date(end));
}

/** `amount` is in minor units. */
export function formatMoney(amount: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount / 100);
}

/** A unit price may be below the smallest coin: thousandths of a minor unit. */
export function formatRate(thousandths: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 5 }).format(
    thousandths / 100_000,
  );
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

interface JobCounts {
  /** With the canceled ones, as the API counts them. */
  readonly jobsFailed: number;
  readonly jobsCanceled: number;
}

/** 1 failed, 2 canceled. */
export function formatFailed({ jobsFailed, jobsCanceled }: JobCounts): string {
  const failed = `${(jobsFailed - jobsCanceled).toLocaleString('en')} failed`;
  return jobsCanceled === 0 ? failed : `${failed}, ${jobsCanceled.toLocaleString('en')} canceled`;
}
