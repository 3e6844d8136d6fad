/**
 * The product under measurement, from this or another checkout, in a separate process with its own database.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onlyRow } from '@audiosplit/chassis/postgres/pool';
import type { Env } from '@audiosplit/chassis/process/env';
import { cpuMsOf, findListener } from '@audiosplit/chassis/testing/process-cpu';
import pg from 'pg';
import { sourceFlags } from '../../../deploy/launcher.mjs';
import { recordJobTimes } from '../job-times.ts';
import type { Started, ToChild, Usage } from './pipeline-child.ts';

export interface MeasuredSystem extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Records the jobs' times. */
  readonly database: pg.Pool;
  usage(): Promise<SystemUsage>;
}

/** Since the start. */
export interface SystemUsage extends Omit<Usage, 'cpuMs'> {
  /**
   * The times of the database's and the broker's processes if they run on this machine (Linux only); 0
   * otherwise.
   */
  readonly cpuMs: { readonly product: number; readonly database: number; readonly broker: number };
  /** Syncs of the database's log. Idle connections report theirs slightly later. */
  readonly walFsyncs: number;
  readonly walBytes: number;
}

export interface SystemOptions {
  /** The root of the checkout. */
  readonly root: string;
  readonly settings: Env;
  readonly execArgv: readonly string[];
}

export async function startMeasuredSystem({
  root,
  settings,
  execArgv,
}: SystemOptions): Promise<MeasuredSystem> {
  await using starting = new AsyncDisposableStack();
  const child = fork(join(root, 'load-tests/bench/pipeline/pipeline-child.ts'), [], {
    cwd: root,
    execArgv: [...sourceFlags, ...execArgv],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
  });
  const exited = once(child, 'exit');
  const send = (message: ToChild) => child.send(message);
  const next = async <T>(): Promise<T> => {
    const ended = exited.then(() => Promise.reject(new Error('the product has ended')));
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  starting.defer(async () => {
    if (child.connected) send('stop');
    await exited;
  });
  const { baseUrl, databaseUrl, apiKey } = await next<Started>();
  const database = starting.adopt(new pg.Pool({ connectionString: databaseUrl, max: 1 }), (pool) =>
    pool.end(),
  );
  // Its connection breaks when the product stops.
  database.on('error', () => undefined);
  await recordJobTimes(database);
  const [brokerPort] = /\d+$/.exec(settings.KAFKA_BROKERS ?? '') ?? [];
  const broker = brokerPort === undefined ? undefined : await findListener(Number(brokerPort));

  /** By process id, those that have ended included: connections that are idle for long are closed. */
  const ofDatabase = new Map<number, number>();
  const running = starting.move();
  return {
    baseUrl,
    apiKey,
    database,
    async usage() {
      send('usage');
      const { cpuMs: product, ...counted } = await next<Usage>();
      const { rows } = await database.query<{ pid: number }>(
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      );
      await Promise.all(
        rows.map(async ({ pid }) =>
          ofDatabase.set(pid, Math.max(await cpuMsOf(pid, 'postgres'), ofDatabase.get(pid) ?? 0)),
        ),
      );
      const wal = onlyRow(
        await database.query<Pick<SystemUsage, 'walFsyncs' | 'walBytes'>>(
          `select coalesce(sum(fsyncs), 0)::float8 as "walFsyncs",
             pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes"
           from pg_stat_io where object = 'wal'`,
        ),
      );
      const cpuMs = {
        product,
        database: ofDatabase.values().reduce((sum, ms) => sum + ms, 0),
        broker: broker === undefined ? 0 : await cpuMsOf(broker, 'java'),
      };
      return { ...counted, ...wal, cpuMs };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
