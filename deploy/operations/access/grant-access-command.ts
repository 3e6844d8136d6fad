import { readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { readStorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { readDatabaseUrl } from '@audiosplit/chassis/process/process-config';
import { isSet, readSettings, secret } from '@audiosplit/chassis/process/settings';
import { DATA_SERVICES } from '../../engines/access.ts';
import { grantAccess } from './grant-access.ts';

export const GRANT_ACCESS_USAGE = `usage: npm run operate -- grant-access
lets each process sign in to PostgreSQL, Kafka and the bucket as itself, and do there what deploy/engines/access.ts says.
Reads an administrator's DATABASE_URL, with <SERVICE>_DATABASE_PASSWORD of each service; KAFKA_*; STORAGE_URL and AWS_*.
An engine whose address is not set is left as it is.`;

/** The password of each service's role. */
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
  const database = isSet(env, 'DATABASE_URL') ? readDatabase(env) : undefined;
  const kafka = readKafkaConnection(env);
  const storage = isSet(env, 'STORAGE_URL') ? readStorageLocation(env) : undefined;
  if (storage?.kind === 'files')
    throw new StartError('grant-access: STORAGE_URL is a folder, without rights');
  const engines = [database, kafka, storage].filter((engine) => engine !== undefined);
  if (args.length > 0 || engines.length === 0) throw new StartError(GRANT_ACCESS_USAGE);
  await grantAccess({ database, kafka, storage });
  write(`each process signs in as itself, at ${engines.length} engines\n`);
}

function readDatabase(env: Env) {
  const values = readSettings(DATABASE_PASSWORDS, env);
  const passwords = DATA_SERVICES.map((service) => [service, values[variableOf(service)] ?? '']);
  return { url: readDatabaseUrl(env), passwords: Object.fromEntries(passwords) };
}

function variableOf(service: string): string {
  return `${service.toUpperCase()}_DATABASE_PASSWORD`;
}
