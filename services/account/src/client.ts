import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import type { Client } from '@connectrpc/connect';

export type AccountClient = Client<typeof AccountService>;

export function createAccountClient(caller: Caller, address: RpcAddress): AccountClient {
  return caller.client(AccountService, address);
}
