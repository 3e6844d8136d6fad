/**
 * Delayed and periodic work of one service, stored in Postgres by graphile-worker: it survives restarts, and
 * only one of several replicas runs a task. A repeating task schedules its next run before it works, so a
 * failing run never ends the repetition; a cron entry schedules it again every minute in case it is missing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseCronItems, run, type TaskList, Logger as WorkerLogger } from 'graphile-worker';
import { messageOf } from '../errors.ts';
import { isMeasured } from '../observability/metrics.ts';
import { observeSince } from '../observability/shared-metrics.ts';
import { scheduledWorkSchemaOf } from '../postgres/migrate.ts';
import type { Pool, Queryable } from '../postgres/pool.ts';
import type { Logger } from './log.ts';

interface RepeatingTask {
  readonly name: string;
  readonly everyMs: number;
  /**
   * `stopping` aborts when the process is to exit, which waits for the task. A task that loops over items
   * ends between two of them, because the next may need a part that has stopped already. The next run handles
   * the rest.
   */
  readonly run: (stopping: AbortSignal) => Promise<void>;
}

interface DelayedTask {
  readonly name: string;
  readonly run: (payload: unknown) => Promise<void>;
}

export interface ScheduledWork extends AsyncDisposable {
  /** Schedules a delayed task; with a transaction's client, it exists only if that commits. */
  schedule(
    db: Queryable,
    task: string,
    payload: unknown,
    options: { readonly runAt?: Date; readonly key?: string },
  ): Promise<void>;
}

export interface ScheduledWorkOptions {
  readonly pool: Pool;
  readonly schema: string;
  readonly repeating: readonly RepeatingTask[];
  readonly delayed?: readonly DelayedTask[];
  /** Tasks that this process runs concurrently; default 2. */
  readonly concurrency?: number;
  readonly log: Logger;
  /** Called when the work has ended and cannot be restarted: the process should exit and be restarted. */
  readonly onCrash: (error: Error) => void;
}

const RESTART_PAUSE_MS = 500;

export async function startScheduledWork(options: ScheduledWorkOptions): Promise<ScheduledWork> {
  const { pool, log } = options;
  const schema = scheduledWorkSchemaOf(options.schema);
  const taskList: TaskList = {};
  const stopping = new AbortController();
  for (const task of options.repeating) {
    taskList[task.name] = measured(options.schema, task.name, async () => {
      await schedule(pool, task.name, {}, { runAt: new Date(Date.now() + task.everyMs), key: task.name });
      await task.run(stopping.signal);
    });
  }
  for (const task of options.delayed ?? []) {
    taskList[task.name] = measured(options.schema, task.name, (payload) => task.run(payload));
  }

  const schedule: ScheduledWork['schedule'] = async (db, task, payload, { runAt, key }) => {
    await db.query(
      `select ${schema}.add_job(identifier => $1, payload => $2::json, run_at => $3, job_key => $4, max_attempts => 25)`,
      [task, JSON.stringify(payload), runAt ?? null, key ?? null],
    );
  };

  const startRunner = () =>
    run({
      pgPool: pool,
      schema,
      taskList,
      parsedCronItems: parseCronItems(
        options.repeating.map((task) => ({
          task: task.name,
          match: '* * * * *',
          options: { jobKey: task.name, jobKeyMode: 'preserve_run_at', backfillPeriod: 0 },
        })),
      ),
      concurrency: options.concurrency ?? 2,
      pollInterval: 2_000,
      noHandleSignals: true,
      noPreparedStatements: true,
      // Without a batch, a stopping library does not wait until its last tasks are marked as done, and the
      // pool closes before that. It does wait for a batch that closes at once.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: new WorkerLogger(() => (level, message) => {
        if (level === 'error') log.error({ worker: schema }, message);
      }),
    });

  // First, while a failure has no running work to stop.
  for (const task of options.repeating) await schedule(pool, task.name, {}, { key: task.name });

  let runner = await startRunner();
  // The library stops by itself when it is notified of a migration, and cannot tell which schema it concerns.
  // Another service's migration in the same database must not end this service's work.
  const supervised = (async () => {
    for (;;) {
      const error = await runner.promise.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (stopping.signal.aborted) return;
      log.warn({ worker: schema, err: error }, 'scheduled work has ended by itself and begins again');
      await sleep(RESTART_PAUSE_MS);
      if (stopping.signal.aborted) return;
      runner = await startRunner();
      // A stop requested meanwhile has only reached the old runner.
      if (stopping.signal.aborted) await runner.stop();
    }
  })().catch((error: unknown) => {
    options.onCrash(
      new Error(`scheduled work of ${schema} cannot go on: ${messageOf(error)}`, { cause: error }),
    );
  });
  return {
    schedule,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await runner.stop().catch((error: unknown) => log.warn(`stopping scheduled work: ${messageOf(error)}`));
      await supervised;
    },
  };
}

function measured(schema: string, task: string, run: (payload: unknown) => Promise<void>): typeof run {
  return async (payload) => {
    if (!isMeasured()) return run(payload);
    const startedAt = performance.now();
    let outcome: 'done' | 'failed' = 'failed';
    try {
      await run(payload);
      outcome = 'done';
    } finally {
      observeSince('audiosplit_scheduled_task_duration_seconds', { schema, task, outcome }, startedAt);
    }
  };
}
