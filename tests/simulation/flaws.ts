/** Deliberate faults of the code itself, put in through the ports: each must be seen by an invariant. */
import type { PaymentProvider } from '@audiosplit/billing/payment/payment-provider';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Event } from '@audiosplit/proto/events/v1/events';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { ServiceImpl } from '@connectrpc/connect';
import type { World } from './world.ts';

/** What is sent in the place of a statement; undefined where nothing is. */
type Rewrite = (text: string, values: readonly unknown[]) => string | undefined;

const skip =
  (isMeant: (text: string, values: readonly unknown[]) => boolean): Rewrite =>
  (text, values) =>
    isMeant(text, values) ? undefined : text;
const replace =
  (part: string, other: string): Rewrite =>
  (text) =>
    text.replace(part, other);

/** Those that are put into the services' statements. */
const STATEMENT_FLAWS = {
  /** A claim leaves the fence as it is. */
  'fence not raised': replace('fence = fence + 1, attempts', 'attempts'),
  'attempts counted twice': replace('attempts = attempts + 1', 'attempts = attempts + 2'),
  /** The event of a completion never comes into the outbox. */
  'completion untold': skip((text, values) => text.startsWith('insert into outbox') && isCompletion(values)),
  'newest offered first': replace('order by created_at, id limit', 'order by created_at desc, id desc limit'),
  'counters left behind': replace('completed = completed + $5', 'completed = completed + 0 * $5::int'),
  /** A creation that is repeated is done again. */
  'answers not kept': skip((text) => text.startsWith('insert into idempotency_keys')),
  'leftovers not doomed': skip((text) => text.startsWith('insert into doomed_prefixes')),
  'limits survive a purge': skip((text) => text.startsWith('delete from account_limits where account_id')),
  'last segment left out': skip((text) => text.startsWith('insert into segments')),
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

function isCompletion(values: readonly unknown[]): boolean {
  const bodies = (values[2] ?? []) as readonly Buffer[];
  return bodies.some((body) => body.includes('completed'));
}

/** `cap ignored`: claims take every cap for a large one. `accepted job lost`: what creates a job is rolled back. */
export function breakDatabase(pool: Pool, flaw: Flaw | undefined): Pool {
  if (flaw === undefined) return pool;
  const rewrite: Rewrite =
    flaw in STATEMENT_FLAWS ? STATEMENT_FLAWS[flaw as keyof typeof STATEMENT_FLAWS] : (text) => text;
  const broken = (db: Queryable) => {
    let hasCreated = false;
    return async (text: string, values: unknown[] = []) => {
      if (text === 'begin') hasCreated = false;
      if (text.includes('insert into jobs')) hasCreated = true;
      if (flaw === 'accepted job lost' && text === 'commit' && hasCreated) return db.query('rollback');
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

/** `fence ignored`: a completion counts, whoever's it is. */
export function breakLeases(
  leases: ServiceImpl<typeof JobLeaseService>,
  pool: Queryable,
  flaw: Flaw | undefined,
): ServiceImpl<typeof JobLeaseService> {
  if (flaw !== 'fence ignored') return leases;
  return {
    ...leases,
    async completeJob(request, context) {
      const { rows } = await pool.query<{ fence: number }>('select fence from jobs where id = $1', [
        request.jobId,
      ]);
      return leases.completeJob({ ...request, fence: BigInt(rows[0]?.fence ?? 0) }, context);
    },
  };
}

/** `upload skipped`: an upload is said to be done that has not been made. */
export function breakStore(store: ObjectStore, flaw: Flaw | undefined): ObjectStore {
  if (flaw !== 'upload skipped') return store;
  return {
    ...store,
    async put(key, body, options) {
      const stored = await store.put(key, body, options);
      if (key.endsWith('/1.mp3')) await store.delete([key]);
      return stored;
    },
  };
}

/** `redelivery counted again`: each delivery of a job's end counts as the end of a job. */
export function breakConsumer(event: Event, world: World, flaw: Flaw | undefined): Event {
  const { payload } = event;
  if (flaw !== 'redelivery counted again' || payload.case !== 'splitStatusChanged') return event;
  const jobId = `${payload.value.jobId}_${world.nowMs()}`;
  return { ...event, payload: { case: payload.case, value: { ...payload.value, jobId } } };
}

/** `charge repeated`: each time that a charge is asked for it is another one. */
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
