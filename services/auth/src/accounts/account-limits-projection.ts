/** Account state owned by other services. This file: limits, from billing's events or from billing itself. */
import { UnavailableError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { BillingService } from '@audiosplit/proto/billing/v1/billing';
import type { Client } from '@connectrpc/connect';
import { findLimits, saveLimits } from '../store/account-projections.ts';
import { type AccountLimits, fromProtoLimits } from './account-limits.ts';

export type BillingClient = Pick<Client<typeof BillingService>, 'getLimits'>;

export interface AccountLimitsProjection {
  /** Asks billing once, if no event has arrived for the account yet. */
  limitsOf(accountId: string): Promise<AccountLimits>;
  /** Always asks billing. */
  refresh(accountId: string): Promise<AccountLimits>;
}

/** Both methods throw SERVICE_UNAVAILABLE if billing is needed and does not answer. */
export function createAccountLimitsProjection(pool: Pool, billing: BillingClient): AccountLimitsProjection {
  const refresh = async (accountId: string) => {
    const { limits: message } = await billing.getLimits({ accountId }).catch((error: unknown) => {
      throw new UnavailableError(error);
    });
    if (message === undefined) throw new Error('billing answered without limits');
    const limits = fromProtoLimits(message);
    await saveLimits(pool, accountId, limits);
    return limits;
  };
  return {
    refresh,
    limitsOf: async (accountId) => (await findLimits(pool, accountId)) ?? refresh(accountId),
  };
}
