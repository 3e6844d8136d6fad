import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import type { Client } from '@connectrpc/connect';

export type AuthClient = Client<typeof AuthService>;

export function createAuthClient(caller: Caller, address: RpcAddress): AuthClient {
  return caller.client(AuthService, address);
}

export function createAuthOperatorClient(caller: Caller, address: RpcAddress) {
  return caller.client(AuthOperatorService, address);
}
