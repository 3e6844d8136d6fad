import type { BillingService } from '@audiosplit/proto/billing/v1/billing';
import type { Client } from '@connectrpc/connect';
import type { AccountLimits } from '../job.ts';
import type { FetchQuota } from '../minutes/allowance.ts';
import { fromProtoLimits } from '../proto-mapping.ts';

/** Less than a claim's timeout (5 s), so that a claim continues with the known limits while billing hangs. */
const TIMEOUT_MS = 2_000;

/** The account's limits now. Rejects if billing does not answer within 2 s. */
export function fetchLimitsFrom(
  billing: Client<typeof BillingService>,
): (accountId: string) => Promise<AccountLimits> {
  return async (accountId) => {
    const { limits } = await billing.getLimits({ accountId }, { timeoutMs: TIMEOUT_MS });
    if (limits === undefined) throw new Error('billing answered without limits');
    return fromProtoLimits(limits);
  };
}

/** The account's remaining quota or spend limit. Rejects if billing does not answer within 2 s. */
export function fetchQuotaFrom(billing: Client<typeof BillingService>): FetchQuota {
  return async (accountId, jobIds) => {
    const { overageAllowed, remainingMs, spendableMs, counted } = await billing.getQuota(
      { accountId, jobIds: [...jobIds] },
      { timeoutMs: TIMEOUT_MS },
    );
    const leftMs = overageAllowed ? spendableMs : remainingMs;
    return {
      leftMs: leftMs === undefined ? undefined : Number(leftMs),
      countedJobIds: counted?.jobIds,
    };
  };
}
