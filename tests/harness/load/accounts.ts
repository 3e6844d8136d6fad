/** The callers of a run, made through the public API: each with a subscription that has room for the load. */
import { randomBytes } from 'node:crypto';
import { type Audiosplit, createAudiosplit } from '@audiosplit/client';

export interface LoadAccount {
  readonly name: string;
  /** With the account's API key and its session. */
  readonly client: Audiosplit;
  readonly apiKey: string;
  readonly credentials: { readonly email: string; readonly password: string };
  /** The client's. */
  readonly accessToken: () => string;
  /** From now on the client has another session. */
  signIn(accessToken: string): void;
}

/** An outage of the run's lasts shorter than all of these pauses together. */
const RETRIES = { maxRetries: 100, baseDelayMs: 200, maxDelayMs: 2_000 };
const CALL_TIMEOUT_MS = 15_000;

/** `onAnswer` hears of every answer to a request for a job, repetitions included; 0 stands for none. */
export function openAccounts(
  baseUrl: string,
  count: number,
  onAnswer: (status: number) => void,
): Promise<LoadAccount[]> {
  const countingFetch: typeof fetch = async (url, init) => {
    const isPost = init?.method === 'POST';
    try {
      const response = await fetch(url, init);
      if (isPost) onAnswer(response.status);
      return response;
    } catch (error) {
      if (isPost) onAnswer(0);
      throw error;
    }
  };
  return Promise.all(
    Array.from({ length: count }, (_, n) => openAccount(baseUrl, `account ${n}`, countingFetch)),
  );
}

async function openAccount(baseUrl: string, name: string, countingFetch: typeof fetch): Promise<LoadAccount> {
  const connection = { baseUrl, retries: RETRIES, timeoutMs: CALL_TIMEOUT_MS };
  const email = `chaos-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const { accessToken } = await createAudiosplit(connection).register({ email, password });
  const holder = createAudiosplit({ ...connection, accessToken });
  await holder.setPaymentMethod({ token: 'tok_visa' });
  await holder.subscribe({ planId: 'plan_enterprise' });
  const { key } = await holder.createApiKey({ name: 'chaos' });
  let presentToken = accessToken;
  const caller = { ...connection, accessToken: () => presentToken, apiKey: key, fetch: countingFetch };
  return {
    name,
    client: createAudiosplit(caller),
    apiKey: key,
    credentials: { email, password },
    accessToken: () => presentToken,
    signIn(token) {
      presentToken = token;
    },
  };
}
