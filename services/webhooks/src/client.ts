import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { Client } from '@connectrpc/connect';

type WebhooksClient = Client<typeof WebhooksService>;

export function createWebhooksClient(caller: Caller, address: RpcAddress): WebhooksClient {
  return caller.client(WebhooksService, address);
}
