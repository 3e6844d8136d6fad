/** An account that an operator has suspended may read, delete and pay its debts, but change nothing else. */
import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { AccountLimits } from '@audiosplit/proto/events/v1/events';
import { toIsoTime } from '../mapping/messages.ts';
import type { Principal, Suspension } from './principal.ts';

export function fromProtoSuspension({
  suspension,
}: Pick<AccountLimits, 'suspension'>): Suspension | undefined {
  return suspension && { suspendedAt: toIsoTime(suspension.suspendedAt), reason: suspension.reason };
}

/** Throws ACCOUNT_SUSPENDED. */
export function refuseSuspended({ suspension }: Pick<Principal, 'suspension'>): void {
  if (suspension === undefined) return;
  throw new ServiceError(
    Reason.ACCOUNT_SUSPENDED,
    `This account has been suspended since ${suspension.suspendedAt}: ${suspension.reason}`,
  );
}

const OPEN_METHODS = new Set(['GET', 'HEAD', 'DELETE']);

/**
 * Whether a suspended account may call a route. Routes that only read or delete are open; others must declare
 * it.
 */
export function isOpenToSuspended(
  method: string,
  config: { readonly whileSuspended?: boolean } | undefined,
): boolean {
  return OPEN_METHODS.has(method) || config?.whileSuspended === true;
}
