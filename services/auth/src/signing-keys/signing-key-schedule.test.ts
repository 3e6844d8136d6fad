import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextActivation, outlivedKeys, signingKeyAt } from './signing-key-schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const day = (days: number, extraMs = 0) => new Date(Date.UTC(2026, 0, 1) + days * DAY_MS + extraMs);
const key = (kid: string, activatesAt: Date) => ({ kid, activatesAt });
const first = key('first', day(0));
const second = key('second', day(30));

describe('the schedule of signing keys', () => {
  it('uses the very first key at once', () => assert.deepEqual(nextActivation([], day(0)), day(0)));

  it('creates no successor within the first 29 days', () =>
    assert.equal(nextActivation([first], day(29, -1)), undefined));

  it('creates the successor a day before its first use', () =>
    assert.deepEqual(nextActivation([first], day(29)), day(30)));

  it('publishes a late successor a day before its first use as well', () =>
    assert.deepEqual(nextActivation([first], day(99)), day(100)));

  it('creates only one successor', () =>
    assert.equal(nextActivation([first, second], day(29, 1)), undefined));

  it('signs with the newest key that is active', () => {
    assert.equal(signingKeyAt([first, second], day(30, -1)), first);
    assert.equal(signingKeyAt([first, second], day(30)), second);
    assert.equal(signingKeyAt([first], day(99)), first);
  });

  it('signs with the first key if the clock is behind', () =>
    assert.equal(signingKeyAt([first, second], day(-1)), first));

  it('keeps a key until its last token has expired, with five minutes of skew', () => {
    const last = HOUR_MS + 5 * 60_000;
    assert.deepEqual(outlivedKeys([first, second], day(30, last - 1)), []);
    assert.deepEqual(outlivedKeys([first, second], day(30, last)), [first]);
    assert.deepEqual(outlivedKeys([first], day(99)), []);
  });
});
