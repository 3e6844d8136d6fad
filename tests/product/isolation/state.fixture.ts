/** Reads everything that an installation stores, to check that nothing has changed. */
import { until } from '@audiosplit/chassis/testing/until';
import type { ScriptedServices } from '../../harness/installation/scripted-services.ts';

/** A digest of the rows by table, and the stored files. */
export type State = Readonly<Record<string, unknown>>;

/**
 * Not state of the product: when periodic work runs next, how far readers of the bus have come, and when a
 * key was last used, which also changes with a refused call that contains a real key.
 */
const BOOKKEEPING = { schemas: '%\\_scheduled', tables: ['bus.group_partitions'], columns: ['last_used_at'] };

export async function readState(all: ScriptedServices): Promise<State> {
  const { rows: tables } = await all.sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') and schemaname not like $1
       and format('%I.%I', schemaname, tablename) <> all ($2) order by name`,
    [BOOKKEEPING.schemas, BOOKKEEPING.tables],
  );
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(line, ',' order by line)) as digest
       from (select (to_jsonb(t) - $1::text[])::text as line from ${name} as t) as lines`,
  );
  const { rows } = await all.sql.query<{ name: string; digest: string | null }>(digests.join(' union all '), [
    BOOKKEEPING.columns,
  ]);
  return {
    ...Object.fromEntries(rows.map(({ name, digest }) => [name, digest])),
    files: (await all.storedFiles()).sort(),
  };
}

/**
 * The state once everything is delivered: nothing waits to be published or mailed, and every reader has
 * caught up.
 */
export async function settledState(all: ScriptedServices): Promise<State> {
  const { rows: tables } = await all.sql.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where tablename in ('outbox', 'mails')",
  );
  const waiting = tables.map(({ name }) => `exists (select from ${name})`);
  await until(async () => {
    const { rows } = await all.sql.query<{ busy: boolean }>(
      `select ${waiting.join(' or ')} or exists (
         select from bus.group_partitions g join bus.partitions p using (topic, partition)
         where g.position < p.next_position
       ) as busy`,
    );
    return rows[0]?.busy === false;
  }, 'all messages are published and consumed');
  return readState(all);
}
