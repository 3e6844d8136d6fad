/**
 * Restores a backup into a database, and sets the bus back to the backup's moment. The services must be stopped.
 *
 * Topics hold events that the restored database does not know. Every consumer group skips them: it starts at the topics'
 * present ends. The events that were in flight are published again through an outbox and reach all groups; a group that
 * had handled one recognizes its id. Locks of scheduled work belong to workers that are gone, so they are removed.
 *
 * Failure modes: the database is filled in one transaction; after a failure, the same call with `replace` starts over.
 * The rows are counted, and a table whose count differs from the backup's is reported. The order among events of
 * different services is not kept, as it never was.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import pg from 'pg';
import {
  connectOperator,
  countRows,
  findConnectedServices,
  findSchemas,
  isOfService,
  type OperatorClient,
} from './database-client.ts';
import { type InFlightEvent, openKafkaCut } from './kafka-cut.ts';
import {
  type BackupManifest,
  DUMP_FILE,
  IN_FLIGHT_FILE,
  readManifest,
  type SchemaOwner,
} from './manifest.ts';
import { runPostgresTool } from './postgres-tools.ts';

interface RestoreOptions {
  /** The URL of a user who may create roles, and schemas in this database. */
  readonly databaseUrl: string;
  readonly kafka: KafkaConnection | undefined;
  readonly folder: string;
  /** Drops the product's existing schemas. */
  readonly replace: boolean;
}

/** Any service's relay can publish them. */
const OUTBOX_SCHEMA = 'jobs';

/** Throws StartError. */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { databaseUrl, kafka, folder, replace } = options;
  const manifest = await readManifest(folder);
  if ((kafka === undefined) !== (manifest.bus === 'postgres')) {
    throw new StartError(
      manifest.bus === 'kafka'
        ? 'the backup is of an installation on Kafka: set KAFKA_BROKERS'
        : 'the backup is of an installation whose bus is on Postgres: unset KAFKA_BROKERS',
    );
  }
  await using client = await connectOperator(databaseUrl);
  await assertServicesStopped(client);
  await dropPresentSchemas(client, replace);
  await createRoles(client, manifest.schemas);
  await runPostgresTool('pg_restore', databaseUrl, [
    '--exit-on-error',
    '--single-transaction',
    join(folder, DUMP_FILE),
  ]);
  assertSameRows(manifest.rows, await countRows(client, manifest.schemas));
  await resetBus(client, kafka, manifest.schemas, await readInFlight(folder));
  await client.query('analyze');
  return manifest;
}

/**
 * For a database that was restored to a point in time from its own archive. The events in flight at that
 * moment are not known, so they are skipped with the rest. Throws StartError.
 */
export async function settleArchived(options: Pick<RestoreOptions, 'databaseUrl' | 'kafka'>): Promise<void> {
  const { databaseUrl, kafka } = options;
  await using client = await connectOperator(databaseUrl);
  await assertServicesStopped(client);
  const schemas = await findSchemas(client);
  if (schemas.length === 0) throw new StartError('there is no schema of the product in this database');
  await resetBus(client, kafka, schemas, []);
}

async function assertServicesStopped(client: OperatorClient): Promise<void> {
  const connected = await findConnectedServices(client);
  if (connected.length > 0) throw new StartError(`stop the services first: ${connected.join(', ')}`);
}

async function resetBus(
  client: OperatorClient,
  kafka: RestoreOptions['kafka'],
  schemas: readonly SchemaOwner[],
  inFlight: readonly InFlightEvent[],
): Promise<void> {
  await using cut = kafka && (await openKafkaCut(kafka));
  await cut?.skipToEnd();
  await client.query('begin');
  await republishInFlight(client, inFlight);
  await renewConsumedEvents(client, schemas);
  await unlockScheduledWork(client, schemas);
  await client.query('commit');
}

async function dropPresentSchemas(client: OperatorClient, replace: boolean): Promise<void> {
  const present = await findSchemas(client);
  if (present.length === 0) return;
  const names = present.map(({ name }) => name);
  if (!replace) {
    throw new StartError(`the database has ${names.join(', ')} already: --replace drops them`);
  }
  await client.query(`drop schema ${names.map(pg.escapeIdentifier).join(', ')} cascade`);
}

/** Creates roles without a login. The operator adds logins and passwords afterwards, as after an installation. */
export async function createRoles(client: OperatorClient, schemas: readonly SchemaOwner[]): Promise<void> {
  for (const name of new Set(schemas.map(({ role }) => role))) {
    const role = pg.escapeIdentifier(name);
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) await client.query(`create role ${role} nologin; grant ${role} to current_user`);
  }
}

function assertSameRows(expected: BackupManifest['rows'], found: BackupManifest['rows']): void {
  const tables = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const differing = [...tables].filter((table) => expected[table] !== found[table]);
  if (differing.length === 0) return;
  const lines = differing.map(
    (table) => `${table}: ${expected[table] ?? 'none'} in the backup, ${found[table] ?? 'none'} here`,
  );
  throw new StartError(`the restored tables differ from the backup:\n${lines.join('\n')}`);
}

async function readInFlight(folder: string): Promise<InFlightEvent[]> {
  const lines = (await readFile(join(folder, IN_FLIGHT_FILE), 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as InFlightEvent);
}

/** Inserts them before the outbox's present rows, because they had left it earlier. */
async function republishInFlight(client: OperatorClient, events: readonly InFlightEvent[]): Promise<void> {
  if (events.length === 0) return;
  const outbox = `${OUTBOX_SCHEMA}.outbox`;
  await client.query(
    `insert into ${outbox} (id, topic, key, value, headers) overriding system value
     select coalesce((select min(id) from ${outbox}), 1) - $5::bigint + place - 1, topic, key, decode(value, 'base64'), headers
     from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as event (topic, key, value, headers, place)`,
    [
      events.map(({ topic }) => topic),
      events.map(({ key }) => key),
      events.map(({ valueBase64 }) => valueBase64),
      events.map(({ headers }) => JSON.stringify(headers)),
      events.length,
    ],
  );
}

/** Ids of handled events expire by age. Without this, those of an old backup would expire at once. */
async function renewConsumedEvents(client: OperatorClient, schemas: readonly SchemaOwner[]): Promise<void> {
  for (const { name } of schemas.filter(isOfService)) {
    await client.query(`update ${pg.escapeIdentifier(name)}.consumed_events set consumed_at = now()`);
  }
}

/** Without this, locked work waits four hours for a worker that no longer exists. */
async function unlockScheduledWork(client: OperatorClient, schemas: readonly SchemaOwner[]): Promise<void> {
  for (const { name } of schemas.filter((each) => !isOfService(each))) {
    const schema = pg.escapeIdentifier(name);
    await client.query(
      `select ${schema}.force_unlock_workers(array(
         select locked_by from ${schema}._private_jobs where locked_by is not null
         union select locked_by from ${schema}._private_job_queues where locked_by is not null))`,
    );
  }
}
