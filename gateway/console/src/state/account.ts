/** Who is signed in; the same for all that show something of it. */
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

/** Restored, but not all services have heard of it. */
export function isBeingRestored({ isClosed, deletionScheduledAt }: AccountInfo): boolean {
  return isClosed && deletionScheduledAt === undefined;
}
