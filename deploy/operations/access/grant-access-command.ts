import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { readStorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import { ConfigError, type Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { readDatabaseUrl } from '@audiosplit/chassis/process/process-config';
import { readSettings, secret } from '@audiosplit/chassis/process/settings';
import { DATA_SERVICES } from '../../engines/access.ts';
import { grantAccess } from './grant-access.ts';

export const GRANT_ACCESS_USAGE = `usage: npm run operate -- grant-access
lets each process sign in to PostgreSQL, Kafka and the bucket as itself, and do there what deploy/engines/access.ts says.
Reads DATABASE_URL, KAFKA_*, STORAGE_URL and AWS_*, an administrator's, and <SERVICE>_DATABASE_PASSWORD.`;

/** Of the role of each service. */
export const DATABASE_PASSWORDS = Object.fromEntries(
  DATA_SERVICES.map((service) => [
    variableOf(service),
    secret({ what: `password of ${service} at PostgreSQL` }),
  ]),
);

/** Throws StartError and ConfigError. */
export async function runGrantAccessCommand(
  args: readonly string[],
  env: Env,
  write: (text: string) => void,
): Promise<void> {
  if (args.length > 0) throw new StartError(GRANT_ACCESS_USAGE);
  const values = readSettings(DATABASE_PASSWORDS, env);
  const passwords = DATA_SERVICES.map((service) => [service, values[variableOf(service)] ?? '']);
  const kafka = readKafkaConnection(env);
  if (kafka === undefined) throw new ConfigError('KAFKA_BROKERS', undefined, 'host:port of the brokers');
  const storage = readStorageLocation(env);
  if (storage.kind !== 's3') throw new ConfigError('STORAGE_URL', undefined, 's3://…, a bucket');
  const databaseUrl = readDatabaseUrl(env);
  await grantAccess({ databaseUrl, passwords: Object.fromEntries(passwords), kafka, storage });
  write('each process signs in as itself\n');
}

function variableOf(service: string): string {
  return `${service.toUpperCase()}_DATABASE_PASSWORD`;
}
