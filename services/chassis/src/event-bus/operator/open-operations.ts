import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { type Env, optionalHostPorts, requiredUrl } from '../../env.ts';
import { messageOf } from '../../errors.ts';
import { StartError } from '../../lifecycle.ts';
import type { BusOperations } from '../bus-operations.ts';
import { openKafkaOperations } from '../kafka-operations.ts';
import { openPostgresOperations } from '../postgres-operations.ts';

/**
 * The bus of an installation: on Kafka where KAFKA_BROKERS is set, otherwise on the Postgres of DATABASE_URL, as
 * for the services. Throws ConfigError, and StartError where there is no bus.
 */
export async function openOperations(env: Env): Promise<BusOperations> {
  const brokers = optionalHostPorts(env, 'KAFKA_BROKERS');
  if (brokers !== undefined) {
    return explaining('KAFKA_BROKERS', () => openKafkaOperations({ brokers, topics: TOPIC_DECLARATIONS }));
  }
  const url = requiredUrl(env, 'DATABASE_URL', ['postgres', 'postgresql']).href;
  return explaining('DATABASE_URL', () => openPostgresOperations({ url, topics: TOPIC_DECLARATIONS }));
}

async function explaining(variable: string, open: () => Promise<BusOperations>): Promise<BusOperations> {
  try {
    return await open();
  } catch (error) {
    throw new StartError(`there is no bus where ${variable} says: ${messageOf(error)}`);
  }
}
