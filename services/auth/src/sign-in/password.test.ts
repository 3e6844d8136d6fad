import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPasswordHasher } from './password.ts';

const CALLER = '203.0.113.1';

/** The smallest of several times, because the machine may be busy. */
async function leastMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 5; time++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  return Math.min(...times);
}

it('signing in takes as long for an unknown address as for a wrong password', async () => {
  const passwords = await createPasswordHasher({ memoryKib: 19_456, iterations: 2, concurrency: 1 });
  const hash = await passwords.hash('correct horse battery', CALLER);
  assert.equal(await passwords.verify(hash, 'correct horse battery', CALLER), true);
  assert.equal(await passwords.verify(hash, 'wrong horse battery', CALLER), false);
  assert.equal(await passwords.verify(undefined, 'correct horse battery', CALLER), false);
  const wrong = await leastMs(() => passwords.verify(hash, 'wrong horse battery', CALLER));
  const unknown = await leastMs(() => passwords.verify(undefined, 'wrong horse battery', CALLER));
  // Without the dummy hash the ratio would be a thousandth.
  assert.ok(unknown > wrong / 5, `${unknown} ms for an unknown address, ${wrong} ms for a wrong password`);
});
