/** Guesses: keys that were never issued, and wrong passwords for the innocent account. */
import { send } from '../../harness/accounts/raw.ts';
import { newUnknownApiKey } from '../../harness/accounts/unknown-api-key.ts';
import type { Adversary } from '../adversary.ts';
import { addressOf, fetchFrom, type Target } from '../target.ts';
import { flood } from './flood.ts';
import { createTally, repeat } from './repetition.ts';

const KEYS_PER_SECOND = 5_000;
const PASSWORD_LOOPS = 4;
const ADDRESSES = 200;
const PASSWORD_PAUSE_MS = 50;

function wrongPasswords({ baseUrl, innocentEmail }: Target) {
  const answers = createTally();
  let count = 0;
  const asking = repeat(PASSWORD_LOOPS, PASSWORD_PAUSE_MS, async (_loop, signal) => {
    count += 1;
    const response = await send(baseUrl, 'POST /api/v1/auth/login', {
      body: { email: innocentEmail, password: `guess ${count} of many` },
      fetch: fetchFrom(addressOf(count % ADDRESSES)),
      signal,
    });
    answers.add(response.status);
    await response.body?.cancel();
  });
  return {
    async stop() {
      await asking[Symbol.asyncDispose]();
      return String(answers);
    },
  };
}

function unknownKeys({ baseUrl }: Target, addresses: number) {
  return flood({
    baseUrl,
    perSecond: KEYS_PER_SECOND,
    addressOf: (count) => addressOf(count % addresses),
    newRequest: () => `GET /api/v1/splits HTTP/1.1\r\nhost: a\r\nx-api-key: ${newUnknownApiKey()}\r\n\r\n`,
  });
}

export const CREDENTIALS: readonly Adversary[] = [
  {
    name: 'unknown-keys',
    title: `${KEYS_PER_SECOND} unknown keys a second from one address`,
    bound: '60 refused credentials a minute for an address',
    play: async (target) => unknownKeys(target, 1),
  },
  {
    name: 'unknown-keys-200',
    title: `${KEYS_PER_SECOND} unknown keys a second from ${ADDRESSES} addresses`,
    bound: '60 refused credentials a minute for an address',
    play: async (target) => unknownKeys(target, ADDRESSES),
  },
  {
    name: 'wrong-passwords',
    title: "wrong passwords for the innocent's address, from 200 addresses",
    bound: '10 in 15 minutes for an address and a caller, 100 for an address',
    play: async (target) => wrongPasswords(target),
  },
];
