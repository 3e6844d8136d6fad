import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCalendarMonth } from './usage-period.ts';

describe('calendar months', () => {
  for (const [period, now, start, end] of [
    ['current', '2026-03-14T09:26:53Z', '2026-03-01', '2026-04-01'],
    ['current', '2026-03-01T00:00:00Z', '2026-03-01', '2026-04-01'],
    ['current', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
    ['previous', '2026-01-31T12:00:00Z', '2025-12-01', '2026-01-01'],
    ['previous', '2026-03-31T12:00:00Z', '2026-02-01', '2026-03-01'],
    ['2024-02', '2026-03-31T12:00:00Z', '2024-02-01', '2024-03-01'],
  ] as const) {
    it(`${period} at ${now} is from ${start} to ${end}`, () => {
      const expected = { start: new Date(start), end: new Date(end) };
      assert.deepEqual(parseCalendarMonth(period, new Date(now)), expected);
    });
  }
});
