/** The accounts of a run: registered through the public API, with limits that an operator has agreed on with them. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@audiosplit/chassis/clock';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { createAudiosplit } from '@audiosplit/client';
import { runOverridesCommand } from '../../deploy/operations/overrides/overrides-command.ts';
import type { PlannedCaller } from '../profiles/plan.ts';

export interface OperatorAccess {
  readonly billingUrl: string;
  readonly internalSecret: string;
}

/** As many as the largest plan has, and more minutes than a run can use. */
const CONCURRENT_JOBS = 50;
const MONTHLY_MINUTES = 10_000_000;
const LIMIT_TIMEOUT_MS = 30_000;
const ASK_EVERY_MS = 500;

/** Resolves once the key is let through so many requests a minute. */
export async function openCaller(
  baseUrl: string,
  { billingUrl, internalSecret }: OperatorAccess,
  requestsPerMinute: number,
): Promise<PlannedCaller> {
  const email = `load-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const { account, accessToken } = await createAudiosplit({ baseUrl }).register({ email, password });
  // What `npm run operate -- overrides` does.
  await runOverridesCommand(
    [
      account.id,
      `requestsPerMinute=${requestsPerMinute}`,
      `concurrentJobs=${CONCURRENT_JOBS}`,
      `monthlyMinutes=${MONTHLY_MINUTES}`,
    ],
    {
      env: { BILLING_RPC_URL: billingUrl, INTERNAL_SECRET: internalSecret },
      clock: systemClock,
      write: () => undefined,
    },
  );
  const { key } = await createAudiosplit({ baseUrl, accessToken }).createApiKey({ name: 'load' });
  await waitForLimit(baseUrl, key, requestsPerMinute);
  return { apiKey: key, accountId: account.id };
}

/** The change goes from billing over the bus to where keys are verified. */
async function waitForLimit(baseUrl: string, apiKey: string, requestsPerMinute: number): Promise<void> {
  const deadlineMs = Date.now() + LIMIT_TIMEOUT_MS;
  while ((await limitOf(baseUrl, apiKey)) !== requestsPerMinute) {
    if (Date.now() > deadlineMs) {
      throw new StartError(
        `a limit of ${requestsPerMinute} was not in force after ${LIMIT_TIMEOUT_MS / 1_000} s`,
      );
    }
    await sleep(ASK_EVERY_MS);
  }
}

/** Requests a minute, as the answer to one says. Throws StartError. */
export async function limitOf(baseUrl: string, apiKey: string): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v1/splits?limit=1`, { headers: { 'x-api-key': apiKey } });
  await response.body?.cancel();
  if (response.status !== 200 && response.status !== 429) {
    throw new StartError(`${baseUrl} answers the key with ${response.status}`);
  }
  return Number(response.headers.get('x-ratelimit-limit'));
}
