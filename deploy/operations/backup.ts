/**
 * Backs up all schemas as of one moment, and the events that were in flight between services at that moment.
 *
 * It takes every relay's lock, so that no event leaves an outbox, reads the positions on Kafka, exports a
 * snapshot of the database, and releases the locks. That takes well below a second and delays only the
 * relays. An event that has left the snapshot's outboxes, and that a consumer may not have handled by then,
 * lies in the ranges that were read. No later event does.
 *
 * Failure modes: a relay that hangs in a publish keeps its lock, and the backup gives up with the reason.
 * Without its manifest a folder is no backup. Objects are not backed up here, see docs/operations/backup.md.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import pg from 'pg';
import {
  connectOperator,
  countRows,
  findSchemas,
  isOfService,
  type OperatorClient,
} from './database-client.ts';
import { openKafkaCut } from './kafka-cut.ts';
import {
  type BackupManifest,
  DUMP_FILE,
  IN_FLIGHT_FILE,
  type SchemaOwner,
  writeManifest,
} from './manifest.ts';
import { runPostgresTool } from './postgres-tools.ts';

const RELAYS_TIMEOUT = '60s';

/** Throws StartError. */
export async function makeBackup(options: {
  /** The URL of a user who may read every schema. */
  readonly databaseUrl: string;
  /** Undefined: the bus is on Postgres and part of the dump. */
  readonly kafka: KafkaConnection | undefined;
  /** Created if missing; must be empty. */
  readonly folder: string;
}): Promise<BackupManifest> {
  const { databaseUrl, kafka, folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new StartError(`${folder} is not empty`);
  await using open = new AsyncDisposableStack();
  const client = open.use(await connectOperator(databaseUrl));
  const schemas = await findSchemas(client);
  if (schemas.length === 0) throw new StartError('there is nothing to back up: no schema of the product');
  const cut = kafka && open.use(await openKafkaCut(kafka));

  const { snapshot, ranges } = await holdingRelays(databaseUrl, schemas, async () => ({
    ranges: (await cut?.inFlight()) ?? [],
    snapshot: await exportSnapshot(client),
  }));
  await runPostgresTool('pg_dump', databaseUrl, [
    '--format=custom',
    `--snapshot=${snapshot.id}`,
    ...schemas.map(({ name }) => `--schema=${name}`),
    `--file=${join(folder, DUMP_FILE)}`,
  ]);
  const events = (await cut?.read(ranges)) ?? [];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  await writeFile(join(folder, IN_FLIGHT_FILE), lines.join(''), { mode: 0o600 });
  return writeManifest(folder, {
    takenAt: snapshot.takenAt,
    postgresVersion: snapshot.postgresVersion,
    schemas,
    migrations: await readMigrations(client, schemas),
    rows: await countRows(client, schemas),
    bus: kafka === undefined ? 'postgres' : 'kafka',
    inFlightEvents: events.length,
  });
}

/** Takes the lock under which `startOutboxRelay` publishes. */
async function holdingRelays<T>(
  databaseUrl: string,
  schemas: readonly SchemaOwner[],
  work: () => Promise<T>,
): Promise<T> {
  await using client = await connectOperator(databaseUrl);
  await client.query(`begin; set local lock_timeout = '${RELAYS_TIMEOUT}'`);
  for (const { name } of schemas.filter(isOfService)) {
    const locked = client.query("select pg_advisory_xact_lock(hashtext('outbox'), hashtext($1))", [name]);
    await locked.catch((cause: unknown) => {
      const reason = `the relay of ${name} has held its lock for ${RELAYS_TIMEOUT}: is the bus away?`;
      throw new StartError(reason, { cause });
    });
  }
  const done = await work();
  await client.query('rollback');
  return done;
}

/** The snapshot is valid while the client's transaction is open, so the transaction is left open. */
async function exportSnapshot(client: OperatorClient) {
  await client.query('begin isolation level repeatable read read only');
  const { rows } = await client.query<Record<'id' | 'takenAt' | 'postgresVersion', string>>(
    `select pg_export_snapshot() as id, current_setting('server_version') as "postgresVersion",
       to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt"`,
  );
  const [snapshot] = rows;
  if (snapshot === undefined) throw new Error('a snapshot has an id');
  return snapshot;
}

async function readMigrations(
  client: OperatorClient,
  schemas: readonly SchemaOwner[],
): Promise<Record<string, string[]>> {
  const migrations: Record<string, string[]> = {};
  for (const { name } of schemas.filter(isOfService)) {
    const schema = pg.escapeIdentifier(name);
    const { rows } = await client.query<{ name: string }>(
      `select 'chassis/' || name as name from ${schema}.chassis_migrations
       union all select name from ${schema}.migrations order by name`,
    );
    migrations[name] = rows.map((row) => row.name);
  }
  return migrations;
}
