import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import type { Env } from '../../process/env.ts';
import { StartError } from '../../process/lifecycle.ts';
import { readDatabaseUrl } from '../../process/process-config.ts';
import { reasonOf } from '../../secrets/certificate-faults.ts';
import type { BusOperations } from '../bus-operations.ts';
import { type KafkaConnection, readKafkaConnection } from '../kafka/connection.ts';
import { openKafkaOperations } from '../kafka/operations.ts';
import { openPostgresOperations } from '../postgres/operations.ts';

export type BusLocation = { readonly kafka: KafkaConnection } | { readonly databaseUrl: string };

/**
 * The bus of an installation: Kafka if KAFKA_BROKERS is set, otherwise the Postgres of DATABASE_URL, as for
 * the services. Throws ConfigError.
 */
export function readBusLocation(env: Env): BusLocation {
  const kafka = readKafkaConnection(env);
  if (kafka !== undefined) return { kafka };
  return { databaseUrl: readDatabaseUrl(env) };
}

/** Throws StartError if the bus cannot be reached. */
export async function openOperations(location: BusLocation): Promise<BusOperations> {
  const topics = TOPIC_DECLARATIONS;
  if ('kafka' in location) {
    return explaining('KAFKA_BROKERS', () => openKafkaOperations({ ...location.kafka, topics }));
  }
  const { databaseUrl: url } = location;
  return explaining('DATABASE_URL', () => openPostgresOperations({ url, topics }));
}

async function explaining(variable: string, open: () => Promise<BusOperations>): Promise<BusOperations> {
  try {
    return await open();
  } catch (error) {
    throw new StartError(`there is no bus where ${variable} says: ${reasonOf(error)}`);
  }
}
