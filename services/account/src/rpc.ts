/** AccountService on the wire. What is not implemented here answers `unimplemented`. */
import { NotFoundError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { requireAccount } from '@audiosplit/chassis/rpc/identity';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import {
  type Account as AccountMessage,
  AccountSchema,
  AccountService,
} from '@audiosplit/proto/account/v1/account';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Account } from './account.ts';
import { findAccount } from './store.ts';

export interface AccountRpcOptions {
  readonly pool: Pool;
  /** The account as auth has it: for the moment before its registration has reached this service. */
  readonly askAuth: (accountId: string) => Promise<Account | undefined>;
}

export function createAccountRoutes({ pool, askAuth }: AccountRpcOptions): Routes {
  return (router) =>
    router.service(AccountService, {
      async getAccount(_, context) {
        const accountId = requireAccount(context);
        const account = (await findAccount(pool, accountId)) ?? (await askAuth(accountId));
        if (account === undefined) throw new NotFoundError('The account');
        return { account: toProtoAccount(account) };
      },
    });
}

function toProtoAccount({ createdAt, ...account }: Account): AccountMessage {
  return create(AccountSchema, { ...account, createdAt: timestampFromDate(createdAt) });
}
