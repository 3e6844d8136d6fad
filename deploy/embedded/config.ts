/**
 * The environment of `npm start`, as docs/configuration.md lists it. Everything has a default; a wrong value is a
 * ConfigError in one line.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEgressPolicy } from '@audiosplit/chassis/egress/egress-policy';
import { messageOf } from '@audiosplit/chassis/errors';
import { type KafkaConnection, readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { parseStorageUrl, type StorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import { type MetricsConfig, readMetricsConfig } from '@audiosplit/chassis/observability/metrics-endpoint';
import { readTracingConfig, type TracingConfig } from '@audiosplit/chassis/observability/tracing-config';
import {
  ConfigError,
  type Env,
  integer,
  list,
  oneOf,
  optionalText,
  optionalUrl,
  text,
} from '@audiosplit/chassis/process/env';
import { LOG_LEVELS, type LogLevel } from '@audiosplit/chassis/process/log';

export interface LocalConfig {
  readonly host: string;
  readonly port: number;
  /** Absolute; holds all state of the embedded adapters. */
  readonly dataDir: string;
  readonly egressAllowCidrs: readonly string[];
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Undefined: rate limits in memory. */
  readonly redisUrl: string | undefined;
  /** Undefined: the event bus on Postgres. */
  readonly kafka: KafkaConnection | undefined;
  /** Undefined: files below dataDir. */
  readonly storage: StorageLocation | undefined;
  readonly ffmpegPath: string | undefined;
  readonly logLevel: LogLevel;
  readonly metrics: MetricsConfig | undefined;
  readonly tracing: TracingConfig | undefined;
}

export function readLocalConfig(env: Env, workingDir: string): LocalConfig {
  const storageUrl = optionalText(env, 'STORAGE_URL');
  return {
    host: text(env, 'HOST', '127.0.0.1'),
    port: integer(env, 'PORT', 8080, 0, 65_535),
    dataDir: resolve(workingDir, dataDirFromEnv(env)),
    egressAllowCidrs: cidrs(env),
    databaseUrl: optionalUrl(env, 'DATABASE_URL', ['postgres', 'postgresql'])?.href,
    redisUrl: optionalUrl(env, 'REDIS_URL', ['redis', 'rediss'])?.href,
    kafka: readKafkaConnection(env),
    storage: storageUrl === undefined ? undefined : parseStorageUrl(storageUrl),
    ffmpegPath: optionalText(env, 'FFMPEG_PATH'),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'warn'),
    metrics: readMetricsConfig(env, '127.0.0.1'),
    tracing: readTracingConfig(env),
  };
}

function dataDirFromEnv(env: Env): string {
  const value = text(env, 'DATA_DIR', './.data');
  return value.startsWith('file:') ? fileURLToPath(value) : value;
}

function cidrs(env: Env): readonly string[] {
  const allowCidrs = list(env, 'EGRESS_ALLOW_CIDRS');
  try {
    parseEgressPolicy({ allowCidrs, allowUrlPrefixes: [] });
  } catch (error) {
    const allowed = `address ranges like 10.0.0.0/8 or fd00::/8, separated by commas (${messageOf(error)})`;
    throw new ConfigError('EGRESS_ALLOW_CIDRS', allowCidrs.join(','), allowed);
  }
  return allowCidrs;
}
