import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { CONFIG, PASSWORD, startAuthFixture } from '../auth.fixture.ts';

// Covers D-1.6
test('signing in takes as long for an unknown address as for a wrong password', async () => {
  // High costs, so that the hash dominates the time of a sign-in.
  await using fixture = await startAuthFixture({
    ...CONFIG,
    passwordHashing: { memoryKib: 32_768, iterations: 2, concurrency: 4 },
  });
  const email = 'ada@example.com';
  await fixture.auth.register({ email, password: PASSWORD });
  const timeOf = async (address: string) => {
    const askedAt = performance.now();
    await refusal(fixture.auth.login({ email: address, password: 'a wrong password' }), 'UNAUTHORIZED');
    return performance.now() - askedAt;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 3; round++) {
    known.push(await timeOf(email));
    unknown.push(await timeOf(`unknown-${round}@example.com`));
  }
  // Without the dummy hash the ratio would be a few hundredths.
  assert.ok(Math.min(...unknown) > Math.min(...known) / 3, `${unknown} ms against ${known} ms`);
});
