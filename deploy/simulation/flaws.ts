/** Deliberate faults of the code itself, put in through the ports: each must be seen by an invariant. */
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Event } from '@audiosplit/proto/events/v1/events';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { ServiceImpl } from '@connectrpc/connect';
import type { World } from './world.ts';

export const FLAWS = [
  'fence ignored',
  'fence not raised',
  'cap ignored',
  'completion untold',
  'upload skipped',
  'redelivery counted again',
] as const;
export type Flaw = (typeof FLAWS)[number];

/** `fence not raised`: a claim leaves it as it is. `cap ignored`: claims take every cap for a large one. `completion untold`: its event never comes into the outbox. */
export function breakDatabase(pool: Pool, flaw: Flaw | undefined): Pool {
  if (flaw !== 'cap ignored' && flaw !== 'completion untold' && flaw !== 'fence not raised') return pool;
  return {
    ...pool,
    async connect() {
      const client = await pool.connect();
      const query = async (text: string, values?: unknown[]) => {
        if (flaw === 'completion untold' && text.startsWith('insert into outbox') && isCompletion(values))
          return { rows: [] };
        const sent =
          flaw === 'fence not raised' ? text.replace('fence = fence + 1, attempts', 'attempts') : text;
        const result = await client.query(sent, values);
        if (flaw === 'cap ignored') {
          for (const row of result?.rows ?? []) if ('concurrentJobs' in row) row.concurrentJobs = 100;
        }
        return result;
      };
      return { ...client, query };
    },
  } as unknown as Pool;
}

function isCompletion(values: readonly unknown[] = []): boolean {
  const bodies = (values[2] ?? []) as readonly Buffer[];
  return bodies.some((body) => body.includes('completed'));
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
