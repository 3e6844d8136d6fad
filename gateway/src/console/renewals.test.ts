import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../schemas/sessions.ts';
import { createRenewals, REMEMBERED_MS } from './renewals.ts';

const client = { clientIp: '192.0.2.1', userAgent: 'a browser' };

function countingRenewals() {
  const spent: string[] = [];
  const renew = createRenewals(async (token) => {
    spent.push(token);
    if (token === 'bad') throw new Error('refused');
    return { refreshToken: `${token}+${spent.length}` } as Session;
  });
  return { spent, renew };
}

test('two tabs with one token get the same successor, also if the second request is a little later', async () => {
  const { spent, renew } = countingRenewals();
  const [one, other] = await Promise.all([renew('a', client), renew('a', client)]);
  const later = await renew('a', client);
  assert.deepEqual(
    [one, other, later].map((session) => session.refreshToken),
    ['a+1', 'a+1', 'a+1'],
  );
  assert.deepEqual(spent, ['a']);
});

test('a rejection is not cached', async () => {
  const { spent, renew } = countingRenewals();
  await assert.rejects(renew('bad', client));
  await assert.rejects(renew('bad', client));
  assert.deepEqual(spent, ['bad', 'bad']);
});

test('a used token is rejected again after a short time', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { spent, renew } = countingRenewals();
  await renew('a', client);
  context.mock.timers.tick(REMEMBERED_MS);
  await renew('a', client);
  assert.deepEqual(spent, ['a', 'a']);
});
