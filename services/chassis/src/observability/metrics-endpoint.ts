/** GET /metrics on a separate, non-public port. Without METRICS_PORT the library is not loaded. */
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { messageOf } from '../errors.ts';
import type { Env } from '../process/env.ts';
import { StartError } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import { port, readSettings, text } from '../process/settings.ts';
import type { MetricDefinitions } from './metric-definition.ts';

export const METRICS_SETTINGS = {
  METRICS_PORT: port({
    what: 'port of the [metrics](reference/metrics.md), `GET /metrics` in Prometheus’ format',
    shownDefault: 'off',
    chart: 'monitoring.port',
  }),
  METRICS_HOST: text({ what: 'address on which metrics are served', default: '0.0.0.0' }),
};

export interface MetricsConfig {
  readonly host: string;
  /** 0: the system chooses a port. */
  readonly port: number;
}

interface MetricsEndpoint extends AsyncDisposable {
  readonly port: number;
}

/** Undefined unless METRICS_PORT is set. Throws ConfigError. */
export function readMetricsConfig(env: Env, settings = METRICS_SETTINGS): MetricsConfig | undefined {
  const { METRICS_PORT, METRICS_HOST } = readSettings(settings, env);
  return METRICS_PORT === undefined ? undefined : { host: METRICS_HOST, port: METRICS_PORT };
}

interface MetricsEndpointOptions {
  readonly processes: readonly string[];
  readonly metrics: MetricDefinitions;
  readonly log: Logger;
}

/**
 * Must start before the code it measures. Undefined without a configuration. If it cannot listen it throws
 * StartError, with one line that says what to change.
 */
export async function startMetricsEndpoint(
  config: MetricsConfig | undefined,
  { processes, metrics, log }: MetricsEndpointOptions,
): Promise<MetricsEndpoint | undefined> {
  if (config === undefined) return undefined;
  const { createPrometheus } = await import('./prometheus.ts');
  using starting = new DisposableStack();
  const prometheus = starting.use(createPrometheus({ processes, metrics, log }));
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (request.url?.split('?')[0] !== '/metrics' || !isRead) {
      response.writeHead(404).end();
      return;
    }
    prometheus.scrape().then(
      (page) => response.writeHead(200, { 'content-type': prometheus.contentType }).end(page),
      (error: unknown) => {
        log.error({ err: error }, `metrics cannot be read: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  });
  const port = await listen(server, config);
  log.info({ port }, 'metrics are served');
  const running = starting.move();
  return {
    port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      running.dispose();
    },
  };
}

function listen(server: Server, { host, port }: MetricsConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
      reject(
        new StartError(
          `cannot serve metrics on ${address} (${error.code}): choose another METRICS_PORT or METRICS_HOST`,
        ),
      );
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
