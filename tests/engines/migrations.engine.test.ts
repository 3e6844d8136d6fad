/**
 * Migrations as the chart runs them: the containers of a Job migrate and end (MIGRATE=only), and services start on the
 * migrated schemas (MIGRATE=false). One service has its bus on Postgres, which needs a schema as well, and one on Kafka.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { freePort } from '../../deploy/provision/free-port.ts';
import { sharedEngines, systemEnvironment } from '../harness/installation/shared-engines.ts';
import { startSingleProcess } from '../harness/installation/single-process.ts';

const TIMEOUT_MS = 60_000;

let scratch: string;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'audiosplit-migrations-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

for (const { service, bus, schemas } of [
  { service: 'webhooks', bus: 'Postgres', schemas: ['bus', 'webhooks'] },
  { service: 'billing', bus: 'Kafka', schemas: ['billing'] },
] as const) {
  test(`${service}, its bus on ${bus}: refuses an empty database, migrates it once, and serves on it`, async () => {
    const { start, migrated } = await emptyDatabase(service, bus);

    const refused = start('false');
    assert.equal(await refused.end, 1);
    assert.match(
      refused.log(),
      new RegExp(`^audiosplit-${service}: the schema ${service} lacks 0001_.* MIGRATE=only`, 'm'),
    );
    assert.deepEqual(await migrated(), []);

    const first = start('only');
    assert.equal(await first.end, 0, first.log());
    const done = await migrated();
    assert.deepEqual([...new Set(done.map(({ schema }) => schema))], schemas);

    const second = start('only');
    assert.equal(await second.end, 0, second.log());
    assert.deepEqual(await migrated(), done);

    const served = start('false');
    await served.untilServing(TIMEOUT_MS);
    assert.equal(await served.stop(TIMEOUT_MS), 0, served.log());
    assert.deepEqual(await migrated(), done);
  });
}

interface Migrated {
  readonly schema: string;
  readonly name: string;
  readonly at: Date;
}

/** An empty database of its own, and the service's process on it. */
async function emptyDatabase(service: 'webhooks' | 'billing', bus: 'Postgres' | 'Kafka') {
  const engines = await sharedEngines(`migrations_${service}`);
  const { KAFKA_BROKERS, INTERNAL_SECRET, ...others } = systemEnvironment(engines, scratch);
  const port = await freePort();
  const env = {
    ...others,
    ...(bus === 'Kafka' ? { KAFKA_BROKERS } : {}),
    INTERNAL_SECRET,
    RPC_HOST: '127.0.0.1',
    RPC_PORT: String(port),
  };
  return {
    start: (migrate: 'only' | 'false') =>
      startSingleProcess({
        name: service,
        code: 'source',
        env: { ...env, MIGRATE: migrate },
        logFile: join(scratch, `${service}.log`),
      }),
    async migrated(): Promise<readonly Migrated[]> {
      const client = new pg.Client({ connectionString: engines.databaseUrl });
      await client.connect();
      try {
        const { rows: tables } = await client.query<{ schema: string }>(
          "select schemaname as schema from pg_tables where tablename = 'chassis_migrations' order by 1",
        );
        const found: Migrated[] = [];
        for (const { schema } of tables) {
          const { rows } = await client.query<Migrated>(
            `select '${schema}' as schema, name, run_on as at from ${schema}.migrations order by id`,
          );
          found.push(...rows);
        }
        return found;
      } finally {
        await client.end();
      }
    },
  };
}
