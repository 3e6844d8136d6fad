import { UnavailableError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { BillingService } from '@audiosplit/proto/billing/v1/billing';
import type { Client } from '@connectrpc/connect';
import { type AccountLimits, fromProtoLimits } from './account-limits.ts';
import { findLimits, saveLimits } from './store/account-projections.ts';

export type BillingClient = Pick<Client<typeof BillingService>, 'getLimits'>;

/** Limits of an account; asks billing once for an account of which no event has told yet. */
export type LimitsOf = (accountId: string) => Promise<AccountLimits>;

/** Throws SERVICE_UNAVAILABLE when billing has to be asked and does not answer. */
export function createAccountLimitsProjection(pool: Pool, billing: BillingClient): LimitsOf {
  return async (accountId) => {
    const known = await findLimits(pool, accountId);
    if (known !== undefined) return known;
    const { limits: message } = await billing.getLimits({ accountId }).catch((error: unknown) => {
      throw new UnavailableError(error);
    });
    if (message === undefined) throw new Error('billing answered without limits');
    const limits = fromProtoLimits(message);
    await saveLimits(pool, accountId, limits);
    return limits;
  };
}
