/**
 * Migrations as the chart runs them: the containers of a Job migrate and exit (MIGRATE=only), and services
 * start on the migrated schemas (MIGRATE=false). One service uses the bus on Postgres, which needs a schema
 * as well, and one uses Kafka.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectOperator } from '../../deploy/operations/database-client.ts';
import { freePort } from '../../deploy/provision/free-port.ts';
import { sharedEngines, systemEnvironment } from '../harness/installation/shared-engines.ts';
import { startSingleProcess } from '../harness/installation/single-process.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const TIMEOUT_MS = 60_000;

const { path: scratch } = stackOfFile().use(await temporaryFolder());

for (const { service, bus, schemas } of [
  { service: 'webhooks', bus: 'Postgres', schemas: ['bus', 'webhooks'] },
  { service: 'billing', bus: 'Kafka', schemas: ['billing'] },
] as const) {
  test(`${service}, with its bus on ${bus}: rejects an empty database, migrates it once, and runs on it`, async () => {
    const { start, migrated } = await emptyDatabase(service, bus);

    const refused = start('false');
    assert.equal(await refused.end, 1);
    const refusal = `^audiosplit-${service}: the schema ${service} lacks 0001_.* MIGRATE=only`;
    assert.match(refused.log(), new RegExp(refusal, 'm'));
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

/** A new empty database, and the service's process on it. */
async function emptyDatabase(service: 'webhooks' | 'billing', bus: 'Postgres' | 'Kafka') {
  const engines = await sharedEngines(`migrations_${service}`);
  const { KAFKA_BROKERS, ...others } = systemEnvironment(engines, scratch);
  const port = await freePort();
  const env = {
    ...others,
    ...(bus === 'Kafka' ? { KAFKA_BROKERS } : {}),
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
      await using client = await connectOperator(engines.databaseUrl);
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
    },
  };
}
