/** `start` is included, `end` is not. */
export interface UsagePeriod {
  readonly start: Date;
  readonly end: Date;
}

/** The calendar month (UTC) `offset` months after that of `now`: the period of accounts on the Free plan. */
export function calendarMonth(now: Date, offset = 0): UsagePeriod {
  const month = now.getUTCMonth() + offset;
  return {
    start: new Date(Date.UTC(now.getUTCFullYear(), month)),
    end: new Date(Date.UTC(now.getUTCFullYear(), month + 1)),
  };
}

/** The calendar month written `YYYY-MM`; undefined for anything else. */
export function parseMonth(text: string): UsagePeriod | undefined {
  if (!/^2\d{3}-(0[1-9]|1[0-2])$/.test(text)) return undefined;
  return calendarMonth(new Date(`${text}-01T00:00:00Z`));
}
