/**
 * The whole product in one process: every service and the gateway, with the embedded adapters where no engine
 * is configured. Services call one another without sockets.
 *
 * They are started in the order of their dependencies and stopped in reverse: the gateway first, so that no
 * new requests arrive, then the splitter, whose running jobs end or are handed back, then the other services,
 * the bus and the database.
 */
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import type { MonitoredEventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { openKafkaEventBus } from '@audiosplit/chassis/event-bus/kafka/kafka';
import { openPostgresEventBus } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { openObjectStore } from '@audiosplit/chassis/object-store/storage-url';
import { measureEventBus } from '@audiosplit/chassis/observability/measured-event-bus';
import { startMetricsEndpoint } from '@audiosplit/chassis/observability/metrics-endpoint';
import { startTracing } from '@audiosplit/chassis/observability/tracing';
import { migrate } from '@audiosplit/chassis/postgres/migrate';
import type { Env } from '@audiosplit/chassis/process/env';
import type { Logger } from '@audiosplit/chassis/process/log';
import { isSet } from '@audiosplit/chassis/process/settings';
import { readGatewayConfig } from '@audiosplit/gateway/config';
import { readConsolePages } from '@audiosplit/gateway/console/pages';
import { readGuidePages } from '@audiosplit/gateway/docs/guide-pages';
import { createMemoryRateLimiter } from '@audiosplit/gateway/rate-limit/memory';
import { openRedisRateLimiter } from '@audiosplit/gateway/rate-limit/redis';
import { startGateway } from '@audiosplit/gateway/service';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readSplitterConfig } from '@audiosplit/splitter/config';
import { checkFfmpeg } from '@audiosplit/splitter/engine-setup';
import { startSplitter } from '@audiosplit/splitter/service';
import type { LocalConfig } from './config.ts';
import { holdDataDir } from './data-dir.ts';
import { openDevelopmentAccount } from './development-account.ts';
import { keysOf, readOrMakeSecrets } from './installation-secrets.ts';
import { settleListenAddress } from './listen-address.ts';
import { startLocalOperators } from './local-operators.ts';
import { METRICS, PROCESS_NAMES } from './metrics.ts';
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { SAMPLES_PATH, samplesPlugin } from './samples.ts';
import { SCHEMAS } from './schemas.ts';
import { openServices, startDataServices } from './services.ts';

export type EmbeddedSystem = Awaited<ReturnType<typeof startEmbeddedSystem>>;

/** `npm start` guarantees to stop within 10 s. */
const DRAIN_GRACE_SECONDS = 4;

export async function startEmbeddedSystem(options: {
  readonly config: LocalConfig;
  readonly log: Logger;
  /** Further variables for the services, such as their limits. */
  readonly env: Env;
  readonly fatal: (error: Error) => void;
  readonly withOperators?: boolean;
}) {
  const { config, log, fatal } = options;
  await using starting = new AsyncDisposableStack();
  starting.use(await holdDataDir(config.dataDir));
  const metrics = starting.use(
    await startMetricsEndpoint(config.metrics, { processes: PROCESS_NAMES, metrics: METRICS, log }),
  );
  starting.use(await startTracing(config.tracing, { serviceName: 'audiosplit', log }));
  const { port, baseUrl } = await settleListenAddress(config.host, config.port);
  // First, so that a wrong path is reported at once and not after a database has started.
  if (config.ffmpegPath !== undefined) await checkFfmpeg(config.ffmpegPath);
  const secrets = await readOrMakeSecrets(config.dataDir);
  const databaseUrl = config.databaseUrl ?? starting.use(await openEmbeddedDatabase(config.dataDir)).url;
  for (const schema of SCHEMAS) await migrate({ url: databaseUrl, ...schema });
  const bus = starting.use(measureEventBus(await openBus(config, databaseUrl, log)));
  const store = starting.use(
    await openObjectStore(config.storage ?? { kind: 'files', directory: join(config.dataDir, 'objects') }),
  );
  const limiter = starting.use(
    config.redisUrl === undefined
      ? createMemoryRateLimiter(systemClock)
      : await openRedisRateLimiter({ url: config.redisUrl, log, clock: systemClock }),
  );

  const env: Env = {
    DATABASE_MAX_CONNECTIONS: '8',
    ...options.env,
    REGISTRATIONS_PER_HOUR: String(config.registrationsPerHour),
    AUTH_SECRET: secrets.authSecret,
    WEBHOOKS_SECRET: secrets.authSecret,
    DOWNLOAD_SECRET: secrets.downloadSecret,
    EGRESS_ALLOW_CIDRS: config.egressAllowCidrs.join(','),
    EGRESS_ALLOW_URL_PREFIXES: `${baseUrl}${SAMPLES_PATH}`,
    PUBLIC_BASE_URL: options.env.PUBLIC_BASE_URL ?? baseUrl,
    MAIL_DIR: options.env.MAIL_DIR ?? join(config.dataDir, 'mail'),
    SCRATCH_DIR: join(config.dataDir, 'scratch'),
    DRAIN_GRACE_SECONDS: String(DRAIN_GRACE_SECONDS),
    HOST: config.host,
    PORT: String(port),
  };

  const services = openServices(starting, {
    databaseUrl,
    keysOf: (name) => keysOf(secrets, name),
    bus,
    openStore: async () => store,
    log,
    clock: systemClock,
    fatal,
  });
  const { addressOf } = services;
  await startDataServices(services, env);
  await services.start('splitter', (context) => startSplitter(readSplitterConfig(env), context));

  const development = await openDevelopmentAccount({
    dataDir: config.dataDir,
    addressOf,
    secrets,
    clock: systemClock,
  });
  starting.use(
    await startGateway(readGatewayConfig(env), {
      addressOf,
      limiter,
      store,
      log: log.child({ service: 'gateway' }),
      clock: systemClock,
      keys: keysOf(secrets, 'gateway'),
      pages: await readConsolePages(),
      guide: await readGuidePages(),
      plugins: [samplesPlugin],
    }),
  );
  const operators =
    options.withOperators === true
      ? starting.use(
          await startLocalOperators({
            env: options.env,
            secrets,
            addressOf,
            bus: config.kafka === undefined ? { databaseUrl } : { kafka: config.kafka },
            log: log.child({ service: 'operators' }),
            mailDir: isSet(env, 'SMTP_URL') ? undefined : env.MAIL_DIR,
          }),
        )
      : undefined;
  const running = starting.move();
  return {
    baseUrl,
    development,
    addressOf,
    metricsPort: metrics?.port,
    operators,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openEmbeddedDatabase(dataDir: string) {
  return startEmbeddedPostgres({
    directory: join(dataDir, 'postgres'),
    durable: true,
    maxConnections: 100,
  });
}

function openBus(config: LocalConfig, databaseUrl: string, log: Logger): Promise<MonitoredEventBus> {
  const topics = TOPIC_DECLARATIONS;
  return config.kafka === undefined
    ? openPostgresEventBus({ url: databaseUrl, topics, log })
    : openKafkaEventBus({ ...config.kafka, clientId: 'audiosplit', topics, log });
}
