/** Deliberate faults of the code itself, injected through the ports: an invariant must detect each one. */
import type { PaymentProvider } from '@audiosplit/billing/payment/payment-provider';
import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import { JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { World } from '../world/world.ts';

/** The statement sent instead; undefined: none is sent. */
type Rewrite = (text: string, values: readonly unknown[]) => string | undefined;

const skip =
  (isMeant: (text: string, values: readonly unknown[]) => boolean): Rewrite =>
  (text, values) =>
    isMeant(text, values) ? undefined : text;
const replace =
  (part: string | RegExp, other: string): Rewrite =>
  (text) =>
    text.replace(part, other);

/** The flaws that change the services' statements. */
const STATEMENT_FLAWS = {
  /** A claim does not increase the fence. */
  'fence not raised': replace('fence = fence + $5, attempts', 'fence = fence + 0 * $5::bigint, attempts'),
  'attempts counted twice': replace('attempts = attempts + 1', 'attempts = attempts + 2'),
  /** The event of a completion is never written to the outbox. */
  'completion not published': replace(
    /(?<=insert into unsettled_usage[\s\S]*)values \((\$\d+, \$\d+, \$\d+::bytea, \$\d+::jsonb)\)$/,
    'select $1 where false',
  ),
  'newest offered first': replace('order by created_at, id limit', 'order by created_at desc, id desc limit'),
  'counters left behind': replace('completed = completed + 1', 'completed = completed + 0'),
  /** A repeated creation is executed again. */
  'answers not kept': skip((text) => text.startsWith('insert into idempotency_keys')),
  'leftovers not scheduled for deletion': skip((text) => text.startsWith('insert into doomed_prefixes')),
  'limits survive a purge': skip((text) => text.startsWith('delete from account_limits where account_id')),
  'last segment left out': replace(/(insert into segments .* from unnest\([^)]*\))/, '$1 where false'),
  'parts outlive their job': skip((text) => text.startsWith('delete from job_divisions')),
} as const satisfies Record<string, Rewrite>;

export const FLAWS = [
  ...(Object.keys(STATEMENT_FLAWS) as (keyof typeof STATEMENT_FLAWS)[]),
  'fence ignored',
  'cap ignored',
  'accepted job lost',
  'upload skipped',
  'redelivery counted again',
  'charge repeated',
] as const;
export type Flaw = (typeof FLAWS)[number];

/**
 * `cap ignored`: claims treat every cap as a large one. `accepted job lost`: the transaction that creates a
 * job is rolled back, and reported as committed.
 */
export function breakDatabase(pool: Pool, flaw: Flaw | undefined): Pool {
  if (flaw === undefined) return pool;
  const rewrite: Rewrite =
    flaw in STATEMENT_FLAWS ? STATEMENT_FLAWS[flaw as keyof typeof STATEMENT_FLAWS] : (text) => text;
  const broken = (db: Queryable) => {
    let hasCreated = false;
    return async (text: string, values: unknown[] = []) => {
      if (text === 'begin') hasCreated = false;
      if (text.includes('insert into jobs')) hasCreated = true;
      if (flaw === 'accepted job lost' && text === 'commit' && hasCreated) {
        await db.query('rollback');
        return { rows: [], rowCount: null, command: 'COMMIT' };
      }
      const sent = rewrite(text, values);
      if (sent === undefined) return { rows: [], rowCount: 0 };
      const result = await db.query(sent, values);
      if (flaw === 'cap ignored') {
        for (const row of result?.rows ?? []) if ('concurrentJobs' in row) row.concurrentJobs = 100;
      }
      return result;
    };
  };
  return {
    ...pool,
    query: broken(pool),
    async connect() {
      const client = await pool.connect();
      return { ...client, query: broken(client) };
    },
  } as unknown as Pool;
}

/** `fence ignored`: a completion counts, even from an earlier attempt. */
export function breakRoutes(
  routes: Routes,
  { openPool }: Pick<ServiceContext, 'openPool'>,
  flaw: Flaw | undefined,
): Routes {
  if (flaw !== 'fence ignored') return routes;
  return (router) => {
    const broken: Pick<typeof router, 'service'> = {
      service(definition, implementation, options) {
        const isLease = definition.typeName === JobLeaseService.typeName;
        const leases = implementation as ServiceImpl<typeof JobLeaseService>;
        const served = isLease ? breakLeases(leases, openPool(JOBS_SCHEMA, 1)) : implementation;
        return router.service(definition, served as typeof implementation, options);
      },
    };
    routes({ ...router, ...broken });
  };
}

function breakLeases(
  leases: ServiceImpl<typeof JobLeaseService>,
  pool: Queryable,
): ServiceImpl<typeof JobLeaseService> {
  return {
    ...leases,
    async completeJob(request, context) {
      const { rows } = await pool.query<{ fence: number }>('select fence from jobs where id = $1', [
        request.jobId,
      ]);
      const fence = rows[0]?.fence ?? 0;
      // Renamed to the current attempt's keys; otherwise they would be refused for their keys.
      const segments = request.segments.map((segment) => ({
        ...segment,
        objectKey: segment.objectKey.replace(/(?<=^jobs\/[^/]+\/)\d+/, String(fence)),
      }));
      return leases.completeJob({ ...request, segments, fence: BigInt(fence) }, context);
    },
  };
}

/** `upload skipped`: reports an upload as done that was not made. */
export function breakStore(store: ObjectStore, flaw: Flaw | undefined): ObjectStore {
  if (flaw !== 'upload skipped') return store;
  return {
    ...store,
    async putFile(key, path, options) {
      const stored = await store.putFile(key, path, options);
      if (key.endsWith('/1.mp3')) await store.delete([key]);
      return stored;
    },
  };
}

/** `redelivery counted again`: billing treats each delivery of a job's end as the end of another job. */
export function breakBus(bus: EventBus, world: World, flaw: Flaw | undefined): EventBus {
  if (flaw !== 'redelivery counted again') return bus;
  const renameJob = (value: Uint8Array) => {
    const event = fromBinary(EventSchema, value);
    if (event.payload.case !== 'splitStatusChanged') return value;
    event.payload.value.jobId = `${event.payload.value.jobId}_${world.nowMs()}`;
    return toBinary(EventSchema, event);
  };
  return {
    ...bus,
    subscribe({ handler, ...options }) {
      const isBroken = options.group === 'billing';
      return bus.subscribe({
        ...options,
        handler: (message, signal) =>
          handler(isBroken ? { ...message, value: renameJob(message.value) } : message, signal),
      });
    },
  };
}

/** `charge repeated`: each request for a charge makes another charge. */
export function breakPayments(
  provider: PaymentProvider,
  world: World,
  flaw: Flaw | undefined,
): PaymentProvider {
  if (flaw !== 'charge repeated') return provider;
  return {
    ...provider,
    charge: (request) =>
      provider.charge({ ...request, idempotencyKey: `${request.idempotencyKey}-${world.nowMs()}` }),
  };
}
