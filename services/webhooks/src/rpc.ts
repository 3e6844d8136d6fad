/** WebhooksService: calls of the gateway on behalf of an account. */
import type { Clock } from '@audiosplit/chassis/clock';
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { ServiceImpl } from '@connectrpc/connect';
import type { WakeAccount } from './delivery/deliver.ts';
import { formatSecret } from './delivery/signature.ts';
import { checkTarget } from './delivery/target.ts';
import { createEndpoints } from './endpoint.ts';
import { toProtoDelivery, toProtoEndpoint } from './proto-mapping.ts';
import type { SigningKeys } from './signing-keys.ts';
import { listDeliveries, listDeliveriesAfter, readBodies, restartDelivery } from './store/deliveries.ts';

const MAX_PAGE_SIZE = 100;
/** Bounds the offset. */
const MAX_PAGE = 1_000_000;
/** The client waits for the check while it creates a job. */
const TARGET_CHECK_TIMEOUT_MS = 2_000;

interface RpcDependencies {
  readonly pool: Pool;
  readonly egress: GuardedEgress;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly clock: Clock;
}

export function createWebhooksRpc(dependencies: RpcDependencies): ServiceImpl<typeof WebhooksService> {
  const { pool, egress, keys, wake, clock } = dependencies;
  const endpoints = createEndpoints(dependencies);
  return {
    async checkTarget({ url }, context) {
      const { accountId } = requireAccount(context);
      await checkTarget(egress, { field: 'webhookUrl', accountId, url, timeoutMs: TARGET_CHECK_TIMEOUT_MS });
      return {};
    },

    async getSecret(_request, context) {
      const accountId = requireAccount(context).accountId;
      const key = await withTransaction(pool, (client) => keys.current(client, accountId, clock()));
      return { secret: formatSecret(key) };
    },

    async rotateSecret(_request, context) {
      return { secret: formatSecret(await keys.rotate(pool, requireAccount(context).accountId, clock())) };
    },

    async listDeliveries({ page, limit, withBodies }, context) {
      if (page < 1 || page > MAX_PAGE) throw new InvalidParamsError('page', `must be from 1 to ${MAX_PAGE}`);
      if (limit < 1 || limit > MAX_PAGE_SIZE)
        throw new InvalidParamsError('limit', `must be from 1 to ${MAX_PAGE_SIZE}`);
      const { deliveries, total } = await listDeliveries(pool, requireAccount(context).accountId, {
        limit,
        offset: (page - 1) * limit,
      });
      const bodies = withBodies
        ? await readBodies(
            pool,
            deliveries.map(({ id }) => id),
          )
        : new Map<string, string>();
      return {
        deliveries: deliveries.map((delivery) => {
          const body = bodies.get(delivery.id);
          return { ...toProtoDelivery(delivery), ...(body === undefined ? {} : { body }) };
        }),
        total: BigInt(total),
      };
    },

    async walkDeliveries({ pageToken }, context) {
      const afterNumber = pageToken === '' ? 0 : Number(pageToken);
      if (!Number.isSafeInteger(afterNumber))
        throw new InvalidParamsError('pageToken', 'is not that of a page.');
      const found = await listDeliveriesAfter(pool, requireAccount(context).accountId, {
        afterNumber,
        limit: MAX_PAGE_SIZE,
      });
      return {
        deliveries: found.map(({ delivery, body }) => ({ ...toProtoDelivery(delivery), body })),
        nextPageToken: found.length < MAX_PAGE_SIZE ? '' : String(found.at(-1)?.number ?? ''),
      };
    },

    async replayDelivery({ deliveryId }, context) {
      const accountId = requireAccount(context).accountId;
      const delivery = await withTransaction(pool, async (client) => {
        const restarted = await restartDelivery(client, accountId, { id: deliveryId, now: clock() });
        if (restarted === undefined) throw new NotFoundError(`Delivery ${deliveryId}`);
        await wake(client, accountId);
        return restarted;
      });
      return { delivery: toProtoDelivery(delivery) };
    },

    async putEndpoint({ url, events }, context) {
      return {
        endpoint: toProtoEndpoint(await endpoints.put(requireAccount(context).accountId, url, events)),
      };
    },

    async getEndpoint(_request, context) {
      return { endpoint: toProtoEndpoint(await endpoints.get(requireAccount(context).accountId)) };
    },

    async deleteEndpoint(_request, context) {
      await endpoints.remove(requireAccount(context).accountId);
      return {};
    },

    async testEndpoint(_request, context) {
      return { delivery: toProtoDelivery(await endpoints.test(requireAccount(context).accountId)) };
    },
  };
}
