/**
 * Delayed and periodic tasks, instead of the job library. A delayed task is a row of the transaction that
 * schedules it; a claimed task is deleted, even if its run fails. A periodic task that fails runs again at
 * its next time.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import type { PortAccess } from '../faults/faults.ts';
import type { SimulatedProcess } from '../world/process.ts';

/** A run lasts minutes: hourly tasks must run during it too. */
const MAX_PERIOD_MS = 120_000;
const LEFT_TASKS_EVERY_MS = 90_000;
/** Later than the commit of the transaction that schedules a task. */
const COMMIT_MS = 100;

/** `isDue` is called once faults are healed: until then tasks also run with nothing to do. */
export function createSimulatedSchedule(
  { world, faults, clock }: PortAccess & { readonly clock: Clock },
  process: SimulatedProcess,
  isDue: (task: string) => boolean,
): ServiceContext['schedule'] {
  async function repeat(name: string, everyMs: number, run: () => Promise<void>): Promise<void> {
    for (;;) {
      await world.delay(world.random.between(everyMs * 0.75, everyMs * 1.25));
      if (!faults.areOn() && !isDue(name)) continue;
      await run().catch((error: unknown) => world.record(`${name} fails: ${String(error)}`));
    }
  }

  return async ({ pool, repeating, delayed = [] }) => {
    const stopping = new AbortController().signal;
    const runNext = async (name: string) => {
      const planted = await takeNext(pool, name, clock());
      const task = delayed.find((known) => known.name === name);
      if (planted !== undefined) await task?.run(planted.payload);
    };
    for (const { name, everyMs, run } of repeating)
      void repeat(name, Math.min(everyMs, MAX_PERIOD_MS), () => run(stopping));
    for (const { name } of delayed) void repeat(name, LEFT_TASKS_EVERY_MS, () => runNext(name));
    return {
      async schedule(db, name, payload, { runAt = clock() }) {
        await db.query('insert into planted_tasks (task, payload, run_at) values ($1, $2, $3)', [
          name,
          JSON.stringify(payload),
          runAt,
        ]);
        const run = () =>
          runNext(name).catch((error: unknown) => world.record(`${name} fails: ${String(error)}`));
        process.run(() => world.schedule(runAt.getTime() - world.nowMs() + COMMIT_MS, () => void run()));
      },
      async [Symbol.asyncDispose]() {},
    };
  };
}

async function takeNext(
  db: Queryable,
  task: string,
  now: Date,
): Promise<{ readonly payload: unknown } | undefined> {
  const { rows } = await db.query<{ payload: unknown }>(
    `delete from planted_tasks where number =
       (select number from planted_tasks where task = $1 and run_at <= $2 order by number limit 1)
     returning payload`,
    [task, now],
  );
  return rows[0];
}
