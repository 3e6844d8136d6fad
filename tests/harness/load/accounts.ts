/**
 * The callers of a run: each has a subscription whose limits suffice for the load, and a client that retries
 * failed requests.
 */
import { randomBytes } from 'node:crypto';
import { type Account, openAccount } from '../accounts/open-account.ts';

export interface LoadAccount extends Account {
  readonly name: string;
}

/** Longer in total than any outage of the run. */
const RETRIES = { maxRetries: 100, baseDelayMs: 200, maxDelayMs: 2_000 };
const CALL_TIMEOUT_MS = 15_000;

/**
 * `onAnswer` is called for every response to a request that creates a job, retries included; 0 means no
 * response.
 */
export function openAccounts(
  baseUrl: string,
  count: number,
  onAnswer: (status: number) => void = () => undefined,
): Promise<LoadAccount[]> {
  const countingFetch: typeof fetch = async (url, init) => {
    const isForJob = init?.method === 'POST' && String(url).endsWith('/api/v1/splits');
    try {
      const response = await fetch(url, init);
      if (isForJob) onAnswer(response.status);
      return response;
    } catch (error) {
      if (isForJob) onAnswer(0);
      throw error;
    }
  };
  const open = async (n: number) => {
    const account = await openAccount(baseUrl, {
      password: randomBytes(18).toString('base64url'),
      plan: 'plan_enterprise',
      retries: RETRIES,
      timeoutMs: CALL_TIMEOUT_MS,
      fetch: countingFetch,
    });
    return { ...account, name: `account ${n}` };
  };
  return Promise.all(Array.from({ length: count }, (_, n) => open(n)));
}
