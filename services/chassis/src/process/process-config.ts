/** The settings of every process, and those of every service. */
import type { Process } from '@audiosplit/proto/callers';
import { KAFKA_SETTINGS, type KafkaConnection, readKafkaConnection } from '../event-bus/kafka/connection.ts';
import { IDENTITY_SETTINGS, type IdentityKeys, readIdentityKeys } from '../identity/keys.ts';
import { STORAGE_SETTINGS } from '../object-store/storage-url.ts';
import {
  METRICS_SETTINGS,
  type MetricsConfig,
  readMetricsConfig,
} from '../observability/metrics-endpoint.ts';
import { readTracingConfig, TRACING_SETTINGS, type TracingConfig } from '../observability/tracing-config.ts';
import { DRAIN_DELAY } from './drain-delay.ts';
import type { Env } from './env.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { integer, oneOf, port, readSetting, readSettings, required, text, url } from './settings.ts';

export const LOG_LEVEL = oneOf(LOG_LEVELS, {
  what: 'log level',
  default: 'info',
  chart: 'logLevel',
});
export const DATABASE_URL = url(['postgres', 'postgresql'], {
  what: 'PostgreSQL, `postgresql://user:password@host/database`; splitter and console need it only where there is no Kafka',
  isSecret: true,
  chart: 'postgresql.existingSecret',
});
export const REDIS_URL = url(['redis', 'rediss'], {
  what: 'Redis, `redis://…` or `rediss://…`, which counts calls for all gateways together',
  isSecret: true,
  shownDefault: 'each gateway counts alone',
  chart: 'redis.url',
});
export const AUTHORITIES = text({
  what:
    'PEM file with further certificate authorities, for engines with certificates of your own; read by Node when the process ' +
    'starts ([how to change it](operations/secrets.md#certificates))',
  shownDefault: 'the public authorities',
  chart: 'trust.existingConfigMap',
});

export const PROCESS_SETTINGS = {
  ...IDENTITY_SETTINGS,
  LOG_LEVEL,
  DRAIN_DELAY_SECONDS: DRAIN_DELAY,
  ...METRICS_SETTINGS,
  ...TRACING_SETTINGS,
  NODE_EXTRA_CA_CERTS: AUTHORITIES,
};

const OWN_SETTINGS = {
  DATABASE_URL,
  RPC_HOST: text({ what: 'address on which the service listens', default: '0.0.0.0' }),
  RPC_PORT: port({ what: 'port on which the service listens', default: 9090 }),
  MIGRATE: oneOf(['true', 'false', 'only'], {
    what:
      '`true` brings the database schema up to date at the start, `false` stops the start unless it is, `only` migrates ' +
      'and exits',
    default: 'true',
    chart: 'migrations.mode',
  }),
};
export const SERVICE_SETTINGS = { ...OWN_SETTINGS, ...KAFKA_SETTINGS, ...STORAGE_SETTINGS };

/** A service's maximum number of connections; `min` is the number it always holds. */
export function maxDatabaseConnections(min: number) {
  return integer({
    what: 'most connections to PostgreSQL of one process ([budget](operations/scaling.md#connections-of-postgres))',
    default: 10,
    min,
    max: 200,
    chart: 'postgresql.maxConnections',
  });
}

export interface ProcessConfig {
  /** Empty if neither the service nor the bus needs Postgres. */
  readonly databaseUrl: string;
  readonly keys: IdentityKeys;
  readonly rpcHost: string;
  readonly rpcPort: number;
  /** Undefined: the bus is on Postgres. */
  readonly kafka: KafkaConnection | undefined;
  readonly migrations: 'true' | 'false' | 'only';
  readonly drainDelayMs: number;
  readonly logLevel: LogLevel;
  readonly metrics: MetricsConfig | undefined;
  readonly tracing: TracingConfig | undefined;
}

/** Throws ConfigError, also if the variable is not set. */
export function readDatabaseUrl(env: Env): string {
  return readSetting('DATABASE_URL', required(DATABASE_URL), env).href;
}

/** The settings of migrations. Throws ConfigError. */
export function readDatabaseConfig(env: Env, keepsData: boolean) {
  const kafka = readKafkaConnection(env);
  return {
    databaseUrl: keepsData || kafka === undefined ? readDatabaseUrl(env) : '',
    kafka,
    logLevel: readSetting('LOG_LEVEL', LOG_LEVEL, env),
  };
}

/** Throws ConfigError. */
export function readProcessConfig(env: Env, process: Process, keepsData: boolean): ProcessConfig {
  const values = readSettings({ ...PROCESS_SETTINGS, ...OWN_SETTINGS }, env);
  return {
    ...readDatabaseConfig(env, keepsData),
    keys: readIdentityKeys(env, process),
    rpcHost: values.RPC_HOST,
    rpcPort: values.RPC_PORT,
    drainDelayMs: values.DRAIN_DELAY_SECONDS * 1_000,
    migrations: values.MIGRATE,
    metrics: readMetricsConfig(env),
    tracing: readTracingConfig(env),
  };
}
