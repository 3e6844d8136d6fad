/** A service as a process of its own: environment, migrations, bus, RPC server, signals. */
import type { Process } from '@audiosplit/proto/callers';
import { systemClock } from '../clock.ts';
import type { MonitoredEventBus, TopicDeclaration } from '../event-bus/event-bus.ts';
import { openKafkaEventBus } from '../event-bus/kafka/kafka.ts';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '../event-bus/postgres/postgres.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { openObjectStore, readStorageLocation } from '../object-store/storage-url.ts';
import { measureEventBus } from '../observability/measured-event-bus.ts';
import type { MetricDefinitions } from '../observability/metric-definition.ts';
import { startMetricsEndpoint } from '../observability/metrics-endpoint.ts';
import { startTracing } from '../observability/tracing.ts';
import { migrate } from '../postgres/migrate.ts';
import { type RequireMigratedOptions, requireMigrated } from '../postgres/require-migrated.ts';
import { waitForPostgres } from '../postgres/wait-for-postgres.ts';
import { startRpcServer } from '../rpc/server.ts';
import { drainDelay } from './drain-delay.ts';
import { runProcess, runToEnd } from './lifecycle.ts';
import { createLogger, type Logger } from './log.ts';
import { postgresPorts } from './postgres-ports.ts';
import {
  PROCESS_SETTINGS,
  type ProcessConfig,
  readDatabaseConfig,
  readProcessConfig,
  SERVICE_SETTINGS,
} from './process-config.ts';
import { addressFromEnv } from './rpc-urls.ts';
import { loadSecretFiles } from './secret-files.ts';
import type { RunningService, ServiceContext } from './service.ts';
import type { Settings } from './settings.ts';

interface ServiceProcess {
  readonly name: Process;
  /** Absent for a service that stores nothing in Postgres. */
  readonly database?: { readonly schema: string; readonly migrationsDir: string };
  readonly metrics: MetricDefinitions;
  /** The topics of the bus; missing ones are created. */
  readonly topics: readonly TopicDeclaration[];
  /** Secrets that are given as files are added to it before the start. */
  readonly env: NodeJS.ProcessEnv;
  /** Settings in addition to those of every service. */
  readonly settings: Settings;
  /** Called when the process begins to stop; the drain delay is added. */
  readonly stopTimeoutMs: () => number;
  readonly start: (context: ServiceContext) => Promise<RunningService>;
}

export async function runServiceProcess(options: ServiceProcess): Promise<void> {
  const { env, name } = options;
  const processName = `audiosplit-${name}`;
  const loadSecrets = () =>
    loadSecretFiles(env, { ...PROCESS_SETTINGS, ...SERVICE_SETTINGS, ...options.settings });
  if (env.MIGRATE === 'only') {
    await runToEnd(processName, async () => {
      loadSecrets();
      const config = readDatabaseConfig(env, options.database !== undefined);
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
      loadSecrets();
      const config = readProcessConfig(env, name, options.database !== undefined);
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
        store ??= openObjectStore(readStorageLocation(env)).then((opened) => running.use(opened));
        return store;
      };
      const running = starting.use(new AsyncDisposableStack());
      const service = await options.start({
        ...postgresPorts({ databaseUrl: config.databaseUrl, log, bus }),
        keys: config.keys,
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
          keys: config.keys,
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

async function waitForDatabase(
  { databaseUrl }: Pick<ProcessConfig, 'databaseUrl'>,
  log: Logger,
): Promise<void> {
  if (databaseUrl !== '') await waitForPostgres({ url: databaseUrl, log });
}

/** The service's own schema, and the bus's if it lies on Postgres. */
function schemasOf(
  config: Pick<ProcessConfig, 'databaseUrl' | 'kafka'>,
  { database }: ServiceProcess,
): readonly RequireMigratedOptions[] {
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
