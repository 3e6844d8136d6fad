import { InvalidParamsError } from '@audiosplit/chassis/errors';

/** From `start` on, up to and without `end`. */
export interface UsagePeriod {
  readonly start: Date;
  readonly end: Date;
}

/** The calendar month (UTC) that lies `offset` months from the one of `now`: the period of accounts on the Free plan. */
export function calendarMonth(now: Date, offset = 0): UsagePeriod {
  const month = now.getUTCMonth() + offset;
  return {
    start: new Date(Date.UTC(now.getUTCFullYear(), month)),
    end: new Date(Date.UTC(now.getUTCFullYear(), month + 1)),
  };
}

/** `current`, `previous` or a month as `YYYY-MM`. Throws InvalidParamsError. */
export function parseCalendarMonth(period: string, now: Date): UsagePeriod {
  if (period === 'current') return calendarMonth(now);
  if (period === 'previous') return calendarMonth(now, -1);
  if (!/^2\d{3}-(0[1-9]|1[0-2])$/.test(period)) {
    throw new InvalidParamsError('period', 'give current, previous or a month as YYYY-MM.');
  }
  return calendarMonth(new Date(`${period}-01T00:00:00Z`));
}
