/**
 * The tokens for the journeys over gRPC (../k6/journeys/rpc.ts). They are signed before the run, because k6
 * lacks Ed25519.
 */
import { systemClock } from '@audiosplit/chassis/clock';
import { createSigner } from '@audiosplit/chassis/identity/tokens';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { accessTo } from '@audiosplit/proto/callers';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { RpcAccess } from '../profiles/plan.ts';

/** An hour more than the longest run. */
const LIFETIME_MS = 25 * 3_600_000;
const SCOPES = ['splits:read', 'splits:write'];

const METHODS = [
  JobsService.method.createJob,
  JobsService.method.cancelJob,
  JobsService.method.listJobs,
  JobsService.method.getJob,
  AuthService.method.verifyApiKey,
  BillingService.method.getQuota,
  BillingService.method.getUsage,
  AccountService.method.getAccount,
  WebhooksService.method.getSecret,
  WebhooksService.method.listDeliveries,
  SplitterService.method.inspectSource,
];

export function signRpcTokens(accountId: string): RpcAccess['tokens'] {
  const signed = METHODS.map((method) => {
    const { as, by } = accessTo(method) ?? { by: [] };
    const [process = 'gateway'] = by;
    const sign = createSigner(testKeysOf(process), systemClock, LIFETIME_MS);
    const token = sign(method, as === 'account' ? { accountId, scopes: SCOPES } : undefined);
    return [`${method.parent.typeName}/${method.name}`, token] as const;
  });
  return Object.fromEntries(signed);
}
