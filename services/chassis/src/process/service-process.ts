/**
 * A service as a process of its own: environment, migrations, bus, RPC server, signals.
 *
 * Common environment: DATABASE_URL, INTERNAL_SECRET, RPC_HOST, RPC_PORT, STORAGE_URL, LOG_LEVEL, DRAIN_DELAY_SECONDS,
 * `<SERVICE>_RPC_URL` for each service that this one calls, and
 * - MIGRATE: `true` brings the schema up to date at start; `false` fails the start unless it is; `only` migrates and
 *   exits, as a deployment's migration step;
 * - KAFKA_BROKERS (unset: the bus is on Postgres) and the rest of event-bus/kafka/connection.ts;
 * - METRICS_PORT, METRICS_HOST (observability/metrics-endpoint.ts);
 * - OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG (observability/tracing-config.ts).
 */
import { systemClock } from '../clock.ts';
import type { MonitoredEventBus, TopicDeclaration } from '../event-bus/event-bus.ts';
import { type KafkaConnection, readKafkaConnection } from '../event-bus/kafka/connection.ts';
import { openKafkaEventBus } from '../event-bus/kafka/kafka.ts';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '../event-bus/postgres/postgres.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { openObjectStore, parseStorageUrl } from '../object-store/storage-url.ts';
import { measureEventBus } from '../observability/measured-event-bus.ts';
import type { MetricDefinitions } from '../observability/metric-definition.ts';
import {
  type MetricsConfig,
  readMetricsConfig,
  startMetricsEndpoint,
} from '../observability/metrics-endpoint.ts';
import { startTracing } from '../observability/tracing.ts';
import { readTracingConfig, type TracingConfig } from '../observability/tracing-config.ts';
import { migrate } from '../postgres/migrate.ts';
import { type RequireMigratedOptions, requireMigrated } from '../postgres/require-migrated.ts';
import { waitForPostgres } from '../postgres/wait-for-postgres.ts';
import { type RpcAddress, remoteAddress } from '../rpc/client.ts';
import { startRpcServer } from '../rpc/server.ts';
import { drainDelay, readDrainDelayMs } from './drain-delay.ts';
import {
  ConfigError,
  type Env,
  integer,
  MIN_SECRET_BYTES,
  oneOf,
  optionalText,
  requiredUrl,
  secret,
  text,
} from './env.ts';
import { runProcess, runToEnd } from './lifecycle.ts';
import { createLogger, LOG_LEVELS, type Logger, type LogLevel } from './log.ts';
import { postgresPorts } from './postgres-ports.ts';
import type { RunningService, ServiceContext } from './service.ts';

interface ProcessConfig {
  /** Empty where neither the service nor the bus needs Postgres. */
  readonly databaseUrl: string;
  readonly internalSecret: string;
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

export function readProcessConfig(env: Env, keepsData: boolean): ProcessConfig {
  const kafka = readKafkaConnection(env);
  const needsPostgres = keepsData || kafka === undefined;
  return {
    databaseUrl: needsPostgres ? requiredUrl(env, 'DATABASE_URL', ['postgres', 'postgresql']).href : '',
    internalSecret: secret(env, 'INTERNAL_SECRET', MIN_SECRET_BYTES),
    rpcHost: text(env, 'RPC_HOST', '0.0.0.0'),
    rpcPort: integer(env, 'RPC_PORT', 9090, 0, 65_535),
    kafka,
    drainDelayMs: readDrainDelayMs(env),
    migrations: oneOf(env, 'MIGRATE', ['true', 'false', 'only'], 'true'),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    metrics: readMetricsConfig(env),
    tracing: readTracingConfig(env),
  };
}

interface ServiceProcess {
  readonly name: string;
  /** Absent for a service that keeps nothing in Postgres. */
  readonly database?: { readonly schema: string; readonly migrationsDir: string };
  readonly metrics: MetricDefinitions;
  /** What the bus carries; a topic that is missing is created. */
  readonly topics: readonly TopicDeclaration[];
  readonly env: Env;
  /** Asked for when it is time to stop; the drain delay comes on top. */
  readonly stopTimeoutMs: () => number;
  readonly start: (context: ServiceContext) => Promise<RunningService>;
}

export async function runServiceProcess(options: ServiceProcess): Promise<void> {
  const { env, name } = options;
  const processName = `audiosplit-${name}`;
  if (env.MIGRATE === 'only') {
    await runToEnd(processName, async () => {
      const config = readProcessConfig(env, options.database !== undefined);
      await waitForDatabase(config, createLogger(name, config.logLevel));
      for (const schema of schemasOf(config, options)) await migrate(schema);
    });
    return;
  }
  let drainDelayMs = 0;
  await runProcess({
    name: processName,
    stopTimeoutMs: () => drainDelayMs + options.stopTimeoutMs(),
    async start(fatal, inHaste) {
      const config = readProcessConfig(env, options.database !== undefined);
      drainDelayMs = config.drainDelayMs;
      const log = createLogger(name, config.logLevel);
      await using starting = new AsyncDisposableStack();
      starting.use(
        await startMetricsEndpoint(config.metrics, { processes: [name], metrics: options.metrics, log }),
      );
      starting.use(await startTracing(config.tracing, { serviceName: processName, log }));
      await waitForDatabase(config, log);
      const prepare = config.migrations === 'true' ? migrate : requireMigrated;
      for (const schema of schemasOf(config, options)) await prepare(schema);
      const bus = starting.use(measureEventBus(await openBus(config, options, log)));
      let store: Promise<ObjectStore> | undefined;
      const openStore = () => {
        store ??= openObjectStore(parseStorageUrl(text(env, 'STORAGE_URL', ''))).then((opened) =>
          running.use(opened),
        );
        return store;
      };
      const running = starting.use(new AsyncDisposableStack());
      const service = await options.start({
        ...postgresPorts({ databaseUrl: config.databaseUrl, log }),
        internalSecret: config.internalSecret,
        bus,
        openStore,
        addressOf: (service) => addressFromEnv(env, service),
        log,
        clock: systemClock,
        fatal,
      });
      starting.use(service);
      const routes = (router: Parameters<RunningService['routes']>[0]) => {
        service.routes(router);
        service.health.routes(router);
      };
      const server = starting.use(
        await startRpcServer({
          host: config.rpcHost,
          port: config.rpcPort,
          routes,
          internalSecret: config.internalSecret,
          log,
          clock: systemClock,
        }),
      );
      starting.defer(async () => {
        service.health.drain();
        service.beginDrain?.();
        server.drain();
        await drainDelay(config.drainDelayMs, inHaste);
      });
      log.info({ port: server.port }, 'serving');
      return starting.move();
    },
  });
}

async function waitForDatabase({ databaseUrl }: ProcessConfig, log: Logger): Promise<void> {
  if (databaseUrl !== '') await waitForPostgres({ url: databaseUrl, log });
}

/** The service's own schema, and the bus's where it lies on Postgres. */
function schemasOf(config: ProcessConfig, { database }: ServiceProcess): readonly RequireMigratedOptions[] {
  const url = config.databaseUrl;
  const own = database === undefined ? [] : [{ url, ...database }];
  const bus = { url, schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR };
  return config.kafka === undefined ? [...own, bus] : own;
}

async function openBus(
  config: ProcessConfig,
  { name, topics }: ServiceProcess,
  log: Logger,
): Promise<MonitoredEventBus> {
  if (config.kafka !== undefined) {
    return openKafkaEventBus({ ...config.kafka, clientId: `audiosplit-${name}`, topics, log });
  }
  return openPostgresEventBus({ url: config.databaseUrl, topics, log });
}

/** `AUTH_RPC_URL` for auth, and so on. */
export function addressFromEnv(env: Env, service: string): RpcAddress {
  const variable = `${service.toUpperCase()}_RPC_URL`;
  const value = optionalText(env, variable);
  if (value === undefined || !/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
    throw new ConfigError(variable, value, 'http://host:port of the service');
  }
  return remoteAddress(value);
}
