import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { CONFIG, PASSWORD, startAuthFixture } from '../auth.fixture.ts';

// Covers D-1.6
test('an unknown address costs as much as a wrong password', async () => {
  // So dear that everything else about a sign-in disappears beside it.
  await using fixture = await startAuthFixture({
    ...CONFIG,
    passwordHashing: { memoryKib: 32_768, iterations: 2 },
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
    unknown.push(await timeOf(`nobody-${round}@example.com`));
  }
  // Without the work for nobody the share would be some hundredths.
  assert.ok(Math.min(...unknown) > Math.min(...known) / 3, `${unknown} ms against ${known} ms`);
});
