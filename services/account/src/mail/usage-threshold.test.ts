/** Mails about usage, of which billing publishes each threshold once in a period. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startAccountFixture } from '../account.fixture.ts';
import { headerOf } from './received-mail.fixture.ts';

describe('usage.threshold by mail', () => {
  const fixture = forSuite(startAccountFixture);

  // Covers B-12.6
  it('is sent once for each threshold, with its figures', async () => {
    const accountId = newId('acc');
    const email = `${accountId}@example.com`;
    await fixture.tell(accountId, { case: 'accountRegistered', value: { email, name: 'Ada' } });
    const periodEnd = timestampFromDate(new Date('2026-04-14T09:26:00Z'));
    const reached = (metric: string, percent: number, used: bigint, limit: bigint) =>
      ({ case: 'usageThreshold', value: { accountId, metric, percent, used, limit, periodEnd } }) as const;
    const minutes = reached('minutes', 80, 400n, 500n);
    const first = 'evt_threshold_minutes';
    await fixture.tell(accountId, minutes, { id: first });
    await fixture.tell(accountId, minutes, { id: first });
    await fixture.tell(accountId, reached('spend', 100, 9_000n, 9_000n), { id: 'evt_threshold_spend' });
    const mails = await fixture.mailTo(email, 2);
    assert.deepEqual(mails.map((mail) => headerOf(mail, 'subject')).sort(), [
      'audiosplit: 100 % of your spend limit used',
      'audiosplit: 80 % of your minutes used',
    ]);
    const texts = mails.map(({ text }) => text).join('\n');
    assert.match(texts, /400 of 500 minutes/);
    assert.match(texts, /\$90\.00 of \$90\.00/);
    assert.match(texts, /14 April 2026, 09:26 UTC/);
  });
});
