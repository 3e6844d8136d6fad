import { shellWord } from '../provision/shell-word.ts';
import type { EngineEndpoints } from './engine.ts';

const variableNames = {
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  kafkaBrokers: 'KAFKA_BROKERS',
  kafkaMechanism: 'KAFKA_SASL_MECHANISM',
  kafkaUsername: 'KAFKA_SASL_USERNAME',
  kafkaPassword: 'KAFKA_SASL_PASSWORD',
  storageUrl: 'STORAGE_URL',
  awsAccessKeyId: 'AWS_ACCESS_KEY_ID',
  awsSecretAccessKey: 'AWS_SECRET_ACCESS_KEY',
} as const satisfies Record<Exclude<keyof EngineEndpoints, 'stripeMockUrl'>, string>;

/** The variables that tests read, and that a production environment must never have. */
const testVariableNames = {
  databaseUrl: 'TEST_DATABASE_URL',
  redisUrl: 'TEST_REDIS_URL',
  kafkaBrokers: 'TEST_KAFKA_BROKERS',
  storageUrl: 'TEST_STORAGE_URL',
  stripeMockUrl: 'TEST_STRIPE_MOCK_URL',
} as const satisfies Partial<Record<keyof EngineEndpoints, string>>;

export function environmentOf(endpoints: Partial<EngineEndpoints>): Record<string, string> {
  return named(endpoints, variableNames);
}

export function testEnvironmentOf(endpoints: Partial<EngineEndpoints>): Record<string, string> {
  return named(endpoints, testVariableNames);
}

/** Lines for a POSIX shell. */
export function renderExports(environment: Readonly<Record<string, string>>): string {
  return renderEnvFile(environment, 'export ');
}

/** `KEY=VALUE` lines that a POSIX shell, `node --env-file` and Compose read alike. */
export function renderEnvFile(environment: Readonly<Record<string, string>>, prefix = ''): string {
  return Object.entries(environment)
    .map(([name, value]) => `${prefix}${name}=${shellWord(value)}\n`)
    .join('');
}

/** In the order of `names`, whatever the order in which the engines started. */
function named(
  endpoints: Partial<EngineEndpoints>,
  names: Partial<Record<keyof EngineEndpoints, string>>,
): Record<string, string> {
  const values: Record<string, string | undefined> = { ...endpoints };
  const entries = Object.entries(names).map(([key, name]) => [name, values[key]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
