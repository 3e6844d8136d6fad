import { scheduledWorkSchemaOf } from '../postgres/migrate.ts';
import type { Queryable } from '../postgres/pool.ts';
import { until } from './until.ts';

/** Has the service of a schema do a piece of its periodic work at once, and waits until it is done. */
export async function runTask(db: Queryable, schema: string, name: string): Promise<void> {
  const work = scheduledWorkSchemaOf(schema);
  const { rows } = await db.query<{ id: string }>(
    `select id::text from ${work}.add_job($1, '{}'::json, run_at => now(), job_key => $1)`,
    [name],
  );
  const id = rows[0]?.id;
  await until(async () => {
    // A run that was beginning just then has planted its successor, and put this one off.
    await db.query(
      `update ${work}._private_jobs set run_at = now()
       where id::text = $1 and run_at > now() and locked_at is null`,
      [id],
    );
    const left = await db.query(`select from ${work}._private_jobs where id::text = $1`, [id]);
    return left.rowCount === 0;
  }, `${name} of ${schema} has run`);
}
