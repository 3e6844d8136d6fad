import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calendarMonth, parseMonth } from './usage-period.ts';

describe('calendar months', () => {
  for (const [now, start, end] of [
    ['2026-03-14T09:26:53Z', '2026-03-01', '2026-04-01'],
    ['2026-03-01T00:00:00Z', '2026-03-01', '2026-04-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
  ] as const) {
    it(`${now} is in the month from ${start} to ${end}`, () => {
      assert.deepEqual(calendarMonth(new Date(now)), { start: new Date(start), end: new Date(end) });
    });
  }

  it('are written only as year and month', () => {
    const february = { start: new Date('2024-02-01'), end: new Date('2024-03-01') };
    assert.deepEqual(parseMonth('2024-02'), february);
    for (const text of ['2024-13', '2024-2', '1999-12', 'current', '', '2024-02-01']) {
      assert.equal(parseMonth(text), undefined, text);
    }
  });
});
