import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import type { Client } from '@connectrpc/connect';

export type BillingClient = Client<typeof BillingService>;

export function createBillingClient(caller: Caller, address: RpcAddress): BillingClient {
  return caller.client(BillingService, address);
}

export function createBillingOperatorClient(caller: Caller, address: RpcAddress) {
  return caller.client(BillingOperatorService, address);
}
