/** Guesses: keys that were never issued, and wrong passwords for the innocent account. */
import { send } from '../../harness/accounts/raw.ts';
import { newUnknownApiKey } from '../../harness/accounts/unknown-api-key.ts';
import type { Adversary } from '../adversary.ts';
import { addressOf, fetchFrom, type Target } from '../target.ts';
import { createTally, repeat } from './repetition.ts';

const LOOPS = 500;
const ADDRESSES = 200;
const PASSWORD_PAUSE_MS = 50;

/** As many requests as the machine can make in `loops` loops. */
function playRequests(
  loops: number,
  pauseMs: number,
  ask: (loop: number, count: number, signal: AbortSignal) => Promise<Response>,
) {
  const answers = createTally();
  let count = 0;
  const asking = repeat(loops, pauseMs, async (loop, signal) => {
    count += 1;
    const response = await ask(loop, count, signal);
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
  return playRequests(LOOPS, 0, (_loop, count, signal) => {
    const from = fetchFrom(addressOf(count % addresses));
    return send(baseUrl, 'GET /api/v1/splits', { apiKey: newUnknownApiKey(), fetch: from, signal });
  });
}

export const CREDENTIALS: readonly Adversary[] = [
  {
    name: 'unknown-keys',
    title: 'unknown keys, as many as one address can send',
    bound: '60 refused credentials a minute for an address',
    play: async (target) => unknownKeys(target, 1),
  },
  {
    name: 'unknown-keys-200',
    title: `unknown keys from ${ADDRESSES} addresses`,
    bound: '60 refused credentials a minute for an address',
    play: async (target) => unknownKeys(target, ADDRESSES),
  },
  {
    name: 'wrong-passwords',
    title: "wrong passwords for the innocent's address, from 200 addresses",
    bound: '10 in 15 minutes for an address and a caller, 100 for an address',
    play: async ({ baseUrl, innocentEmail }) =>
      playRequests(4, PASSWORD_PAUSE_MS, (_loop, count, signal) =>
        send(baseUrl, 'POST /api/v1/auth/login', {
          body: { email: innocentEmail, password: `guess ${count} of many` },
          fetch: fetchFrom(addressOf(count % ADDRESSES)),
          signal,
        }),
      ),
  },
];
