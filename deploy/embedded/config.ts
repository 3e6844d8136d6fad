import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS as AUTH_SETTINGS } from '@audiosplit/auth/config';
import { EGRESS_ALLOW_CIDRS } from '@audiosplit/chassis/egress/egress-settings';
import { KAFKA_SETTINGS, readKafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { STORAGE_SETTINGS } from '@audiosplit/chassis/object-store/storage-url';
import { METRICS_SETTINGS, readMetricsConfig } from '@audiosplit/chassis/observability/metrics-endpoint';
import { readTracingConfig } from '@audiosplit/chassis/observability/tracing-config';
import type { Env } from '@audiosplit/chassis/process/env';
import { DATABASE_URL, LOG_LEVEL, REDIS_URL } from '@audiosplit/chassis/process/process-config';
import { optional, port, readSettings, text, withDefault } from '@audiosplit/chassis/process/settings';
import { SETTINGS as SPLITTER_SETTINGS } from '@audiosplit/splitter/config';

const LOCAL_METRICS_SETTINGS = {
  ...METRICS_SETTINGS,
  METRICS_HOST: withDefault(METRICS_SETTINGS.METRICS_HOST, '127.0.0.1'),
};

/**
 * Settings of `npm start` and `npm run up` whose default differs from that of the process that reads them.
 */
export const SETTINGS = {
  PORT: port({ what: 'port of the API; 0 takes a free one', default: 8080 }),
  HOST: text({
    what: 'address on which it listens',
    default: '127.0.0.1',
    shownDefault: '`127.0.0.1`, in the image `0.0.0.0`',
  }),
  DATA_DIR: text({
    what: 'folder with all state that is not in an engine of yours; kept over restarts',
    default: './.data',
    shownDefault: '`./.data`, with `npm run up` `./.data/distributed`, in the image `/data`',
  }),
  DATABASE_URL: { ...DATABASE_URL, shownDefault: 'a PostgreSQL of its own' },
  REDIS_URL: { ...REDIS_URL, shownDefault: 'in memory, with `npm run up` a Redis of its own' },
  KAFKA_BROKERS: {
    ...KAFKA_SETTINGS.KAFKA_BROKERS,
    shownDefault: 'events on PostgreSQL, with `npm run up` a Kafka of its own',
  },
  STORAGE_URL: {
    ...optional(STORAGE_SETTINGS.STORAGE_URL),
    shownDefault: 'files in `DATA_DIR`, with `npm run up` a storage of its own',
  },
  LOG_LEVEL: withDefault(LOG_LEVEL, 'warn'),
  REGISTRATIONS_PER_HOUR: {
    ...withDefault(AUTH_SETTINGS.REGISTRATIONS_PER_HOUR, '100'),
    shownDefault: '100, with `npm run up` 5',
  },
  ...LOCAL_METRICS_SETTINGS,
};

export type LocalConfig = ReturnType<typeof readLocalConfig>;

/**
 * Without `databaseUrl` PostgreSQL is embedded; without `redisUrl` limits are counted in memory; without
 * `kafka` the bus is on Postgres; without `storage` files lie below `dataDir`, which is absolute. Throws
 * ConfigError.
 */
export function readLocalConfig(env: Env, workingDir: string) {
  const values = readSettings(
    { ...SETTINGS, EGRESS_ALLOW_CIDRS, FFMPEG_PATH: SPLITTER_SETTINGS.FFMPEG_PATH },
    env,
  );
  const { DATA_DIR } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: resolve(workingDir, DATA_DIR.startsWith('file:') ? fileURLToPath(DATA_DIR) : DATA_DIR),
    egressAllowCidrs: values.EGRESS_ALLOW_CIDRS,
    databaseUrl: values.DATABASE_URL?.href,
    redisUrl: values.REDIS_URL?.href,
    kafka: readKafkaConnection(env),
    storage: values.STORAGE_URL,
    ffmpegPath: values.FFMPEG_PATH,
    logLevel: values.LOG_LEVEL,
    registrationsPerHour: values.REGISTRATIONS_PER_HOUR,
    metrics: readMetricsConfig(env, LOCAL_METRICS_SETTINGS),
    tracing: readTracingConfig(env),
  };
}
