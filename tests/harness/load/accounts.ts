/** The callers of a run: each with a subscription that has room for the load, and a client that repeats what fails. */
import { randomBytes } from 'node:crypto';
import { type Account, openAccount } from '../accounts/open-account.ts';

export interface LoadAccount extends Account {
  readonly name: string;
}

/** An outage of the run lasts shorter than all of these pauses together. */
const RETRIES = { maxRetries: 100, baseDelayMs: 200, maxDelayMs: 2_000 };
const CALL_TIMEOUT_MS = 15_000;

/** `onAnswer` is called for every answer to a request for a job, repetitions included; 0 stands for no answer. */
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
