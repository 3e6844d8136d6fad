/**
 * Gives each process its own login at the engines of Compose and of a trial: logins of PostgreSQL, Kafka's
 * topics and ACLs, the bucket's policy. Kafka, Redis and the object store read the passwords from their own
 * files.
 *
 * It may run again at any time. The engines start at the same moment, so each of the three is retried until
 * it answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import type { KafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import type { StorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import { roleOf } from '@audiosplit/chassis/postgres/pool';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { restrictKafka } from '../../engines/kafka-access.ts';
import { restrictBucket } from '../../engines/storage-access.ts';
import { connectOperator } from '../database-client.ts';

/** By service. */
export type DatabasePasswords = Readonly<Record<string, string>>;

/** Administrators' logins for the engines that must grant permissions. */
interface GrantOptions {
  readonly database?: { readonly url: string; readonly passwords: DatabasePasswords } | undefined;
  readonly kafka?: KafkaConnection | undefined;
  readonly storage?: Bucket | undefined;
  readonly patienceMs?: number;
}
type Bucket = StorageLocation & { readonly kind: 's3' };

const PATIENCE_MS = 300_000;
const PAUSE_MS = 1_000;

/** Throws StartError with the last error of an engine that does not answer in time. */
export async function grantAccess(options: GrantOptions): Promise<void> {
  const { database, kafka, storage, patienceMs = PATIENCE_MS } = options;
  const deadlineMs = performance.now() + patienceMs;
  await Promise.all([
    database && untilGranted('PostgreSQL', () => grantDatabase(database.url, database.passwords), deadlineMs),
    kafka && untilGranted('Kafka', () => restrictKafka(clientOf(kafka)), deadlineMs),
    storage && untilGranted('the object store', () => grantBucket(storage), deadlineMs),
  ]);
}

/**
 * A role signs in with its password and may create the schemas of its service, which each service does at its
 * start.
 */
export async function grantDatabase(databaseUrl: string, passwords: DatabasePasswords): Promise<void> {
  await using client = await connectOperator(databaseUrl);
  const { rows } = await client.query<{ database: string }>('select current_database() as database');
  for (const [service, password] of Object.entries(passwords)) {
    const role = pg.escapeIdentifier(roleOf(service));
    const known = await client.query('select from pg_roles where rolname = $1', [roleOf(service)]);
    if (known.rowCount === 0) await client.query(`create role ${role}; grant ${role} to current_user`);
    await client.query(`alter role ${role} login password ${pg.escapeLiteral(password)}`);
    await client.query(`grant create on database ${pg.escapeIdentifier(rows[0]?.database ?? '')} to ${role}`);
  }
}

function clientOf({ brokers, security }: KafkaConnection): Kafka {
  return new Kafka({ ...security, brokers: [...brokers], logLevel: logLevel.NOTHING });
}

async function grantBucket({ bucket, endpoint, region }: Bucket): Promise<void> {
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
    maxAttempts: 1,
  });
  try {
    await restrictBucket(client, bucket);
  } finally {
    client.destroy();
  }
}

async function untilGranted(engine: string, grant: () => Promise<void>, deadlineMs: number): Promise<void> {
  for (;;) {
    try {
      return await grant();
    } catch (error) {
      if (performance.now() > deadlineMs) throw new StartError(`${engine}: ${messageOf(error)}`);
    }
    await sleep(PAUSE_MS);
  }
}
