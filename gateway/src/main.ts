import { systemClock } from '@audiosplit/chassis/clock';
import { openObjectStore } from '@audiosplit/chassis/object-store/storage-url';
import { startMetricsEndpoint } from '@audiosplit/chassis/observability/metrics-endpoint';
import { startTracing } from '@audiosplit/chassis/observability/tracing';
import { runProcess } from '@audiosplit/chassis/process/lifecycle';
import { createLogger } from '@audiosplit/chassis/process/log';
import { PROCESS_SETTINGS } from '@audiosplit/chassis/process/process-config';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { readGatewayProcessConfig, SETTINGS } from './config.ts';
import { readConsolePages } from './console/pages.ts';
import { readGuidePages } from './docs/guide-pages.ts';
import { METRICS } from './metrics.ts';
import { createMemoryRateLimiter } from './rate-limit/memory.ts';
import { openRedisRateLimiter } from './rate-limit/redis.ts';
import { startGateway } from './service.ts';
import { SERVICE_NAMES } from './services.ts';

/** Time to report key uses and close connections after the last request. */
const CLOSING_MS = 5_000;
let drainMs = 0;

await runProcess({
  name: 'audiosplit-gateway',
  stopTimeoutMs: () => drainMs + CLOSING_MS,
  async start(_fatal, skipDelay) {
    loadSecretFiles(process.env, { ...PROCESS_SETTINGS, ...SETTINGS });
    const config = readGatewayProcessConfig(process.env);
    const { drainDelayMs, drainRequestsMs } = config;
    drainMs = drainDelayMs + drainRequestsMs;
    const log = createLogger('gateway', config.logLevel);
    await using starting = new AsyncDisposableStack();
    starting.use(
      await startMetricsEndpoint(config.metrics, { processes: ['gateway'], metrics: METRICS, log }),
    );
    starting.use(await startTracing(config.tracing, { serviceName: 'audiosplit-gateway', log }));
    const store = starting.use(await openObjectStore(config.storage));
    const limiter = starting.use(
      config.redisUrl === undefined
        ? createMemoryRateLimiter(systemClock)
        : await openRedisRateLimiter({ url: config.redisUrl, log, clock: systemClock }),
    );
    const addresses = new Map(SERVICE_NAMES.map((name) => [name, remoteAddress(config.serviceUrls[name])]));
    starting.use(
      await startGateway(config.gateway, {
        addressOf: (service) => {
          const address = addresses.get(service as (typeof SERVICE_NAMES)[number]);
          if (address === undefined) throw new Error(`the gateway calls no service ${service}`);
          return address;
        },
        limiter,
        store,
        log,
        clock: systemClock,
        keys: config.keys,
        pages: await readConsolePages(),
        guide: await readGuidePages(),
        drain: { delayMs: drainDelayMs, requestsMs: drainRequestsMs, skipDelay },
      }),
    );
    return starting.move();
  },
});
