import { actingFor, type ForAccount } from '@audiosplit/chassis/identity/authorization';
import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { Health } from '@audiosplit/proto/grpc/health/v1/health';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { Client } from '@connectrpc/connect';
import type { Principal } from './credentials/principal.ts';

export const SERVICE_NAMES = ['auth', 'account', 'billing', 'jobs', 'webhooks'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** One client per service, and the way to act for a caller. */
export interface Services {
  readonly auth: Client<typeof AuthService>;
  readonly authHealth: Client<typeof Health>;
  readonly account: Client<typeof AccountService>;
  readonly billing: Client<typeof BillingService>;
  readonly jobs: Client<typeof JobsService>;
  readonly connections: Client<typeof ConnectionsService>;
  readonly webhooks: Client<typeof WebhooksService>;
  /** Call options that carry the caller's account and scopes. */
  actingFor(principal: Pick<Principal, 'accountId' | 'scopes'>): ForAccount;
}

export function connectServices(caller: Caller, addressOf: (service: string) => RpcAddress): Services {
  const auth = addressOf('auth');
  return {
    auth: caller.client(AuthService, auth),
    authHealth: caller.client(Health, auth),
    account: caller.client(AccountService, addressOf('account')),
    billing: caller.client(BillingService, addressOf('billing')),
    jobs: caller.client(JobsService, addressOf('jobs')),
    connections: caller.client(ConnectionsService, addressOf('jobs')),
    webhooks: caller.client(WebhooksService, addressOf('webhooks')),
    actingFor: ({ accountId, scopes }) => actingFor({ accountId, scopes }),
  };
}
