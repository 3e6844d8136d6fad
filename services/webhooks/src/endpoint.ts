/**
 * The account's endpoint: a target for all of its notifications, in addition to those that jobs and exports
 * name.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { NOTIFICATION_TYPES } from '@audiosplit/proto/vocabulary';
import type { WakeAccount } from './delivery/deliver.ts';
import type { Delivery } from './delivery/delivery.ts';
import { checkTarget } from './delivery/target.ts';
import { pingNotification } from './notifications/ping.ts';
import type { SigningKeys } from './signing-keys.ts';
import { insertDelivery } from './store/deliveries.ts';
import { deleteEndpoint, type Endpoint, findEndpoint, saveEndpoint } from './store/endpoints.ts';
import { holdOffPurge } from './store/purge-lock.ts';

interface EndpointsOptions {
  readonly pool: Pool;
  readonly egress: GuardedEgress;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly clock: Clock;
}

export interface Endpoints {
  /** Empty `events`: all. Throws INVALID_PARAMS. */
  put(accountId: string, url: string, events: readonly string[]): Promise<Endpoint>;
  /** Throws NOT_FOUND. */
  get(accountId: string): Promise<Endpoint>;
  /** Pending notifications are still sent there. Throws NOT_FOUND. */
  remove(accountId: string): Promise<void>;
  /** Queues a `ping`. Throws NOT_FOUND. */
  test(accountId: string): Promise<Delivery>;
}

/** The client waits for the check. */
const TARGET_CHECK_TIMEOUT_MS = 2_000;

export function createEndpoints({ pool, egress, keys, wake, clock }: EndpointsOptions): Endpoints {
  const get = async (accountId: string) => {
    const endpoint = await findEndpoint(pool, accountId);
    if (endpoint === undefined) throw missing();
    return endpoint;
  };
  return {
    async put(accountId, url, names) {
      const unknown = names.find((name) => !NOTIFICATION_TYPES.some((type) => type === name));
      if (unknown !== undefined) {
        throw new InvalidParamsError('events', `give some of ${NOTIFICATION_TYPES.join(', ')}.`);
      }
      await checkTarget(egress, { field: 'url', accountId, url, timeoutMs: TARGET_CHECK_TIMEOUT_MS });
      const events = names.length === 0 ? null : NOTIFICATION_TYPES.filter((type) => names.includes(type));
      return withTransaction(pool, async (client) => {
        await holdOffPurge(client, accountId);
        if (await isPurged(client, accountId)) throw new NotFoundError('The account');
        return saveEndpoint(client, accountId, { url, events }, clock());
      });
    },

    get,

    async remove(accountId) {
      if (!(await deleteEndpoint(pool, accountId))) throw missing();
    },

    async test(accountId) {
      const { url } = await get(accountId);
      const now = clock();
      const id = newId('dlv', now);
      const ping = { ...pingNotification(id, now), id, url, now };
      return withTransaction(pool, async (client) => {
        await holdOffPurge(client, accountId);
        if (await isPurged(client, accountId)) throw missing();
        await keys.current(client, accountId, now);
        const delivery = await insertDelivery(client, accountId, ping);
        await wake(client, accountId);
        return delivery;
      });
    },
  };
}

function missing(): NotFoundError {
  return new NotFoundError('An endpoint of the account');
}
