/**
 * An account's limits, as an operator sets them: Free's ten requests per minute are too few to follow a job.
 */

import { systemClock } from '@audiosplit/chassis/clock';
import type { IdentityKeys } from '@audiosplit/chassis/identity/keys';
import { createCaller, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { until } from '@audiosplit/chassis/testing/until';
import { BillingService, type SetAccountOverridesRequestSchema } from '@audiosplit/proto/billing/v1/billing';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Account, type AccountOptions, openAccount } from './open-account.ts';
import { type Credential, send } from './raw.ts';

export type Limits = Omit<MessageInitShape<typeof SetAccountOverridesRequestSchema>, 'accountId'>;

/** More than a test needs. */
export const UNLIMITED = { requestsPerMinute: 1_000_000, monthlyMinutes: 1_000_000, concurrentJobs: 50 };

const ANSWERS_IN_A_ROW = 10;

export async function setLimits(
  { billing, keys }: { readonly billing: RpcAddress; readonly keys: IdentityKeys },
  accountId: string,
  limits: Limits,
): Promise<void> {
  const operator = createCaller({ keys, clock: systemClock });
  await operator.client(BillingService, billing).setAccountOverrides({ ...limits, accountId });
}

export type OpenAccount = (options?: AccountOptions & { readonly limits?: Limits }) => Promise<Account>;

export interface AccountOpenerOptions {
  /** For each account that it opens. */
  readonly defaults?: AccountOptions;
  readonly billing: () => RpcAddress;
  /** The keys of the operators' console. */
  readonly keys: IdentityKeys;
  /** The gateways at which a request limit must be in effect before the account is returned. */
  readonly gatewayUrls: () => readonly string[];
}

export function accountOpener(baseUrl: () => string, options: AccountOpenerOptions): OpenAccount {
  const { defaults = {}, billing, keys, gatewayUrls } = options;
  return async ({ limits, ...accountOptions } = {}) => {
    const account = await openAccount(baseUrl(), { ...defaults, ...accountOptions });
    if (limits === undefined) return account;
    await setLimits({ billing: billing(), keys }, account.id, limits);
    const { requestsPerMinute } = limits;
    if (requestsPerMinute !== undefined)
      for (const url of gatewayUrls()) await untilLimitHolds(url, account, requestsPerMinute);
    return account;
  };
}

/**
 * Resolves once every gateway behind the address applies the limit to the key and to the session: each caches
 * the former limit of both for a while.
 */
export async function untilLimitHolds(
  baseUrl: string,
  { apiKey, session }: Pick<Account, 'apiKey' | 'session'>,
  requestsPerMinute: number,
): Promise<void> {
  let inARow = 0;
  await until(async () => {
    const limits = [await limitOf(baseUrl, { apiKey }), await limitOf(baseUrl, session)];
    inARow = limits.every((each) => each === requestsPerMinute) ? inARow + 1 : 0;
    return inARow === ANSWERS_IN_A_ROW;
  }, 'all gateways apply the limit');
}

/** The limit of requests per minute that the next response states. */
export async function limitOf(baseUrl: string, credential: Credential): Promise<number> {
  const path = credential.apiKey === undefined ? '/api/v1/billing' : '/api/v1/splits?limit=1';
  const response = await send(baseUrl, `GET ${path}`, credential);
  await response.body?.cancel();
  return Number(response.headers.get('x-ratelimit-limit'));
}
