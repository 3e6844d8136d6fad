/** The signed-in account, shared by all components. */
import { type AccountInfo, api } from '../api/client.ts';
import { type Query, useQuery } from './query.ts';
import { accountVersion } from './session.ts';
import { useStore } from './store.ts';

const LOOK_AGAIN_MS = 400;

export function useAccount(): Query<AccountInfo> {
  const version = useStore(accountVersion);
  return useQuery('account', () => api.account.get.query(), {
    version,
    againAfterMs: (account) => (isBeingRestored(account) ? LOOK_AGAIN_MS : undefined),
  });
}

/** Restored, but some service does not have the change yet. */
export function isBeingRestored({ isClosed, deletionScheduledAt }: AccountInfo): boolean {
  return isClosed && deletionScheduledAt === undefined;
}
