/**
 * Spans to an OpenTelemetry collector, over OTLP/HTTP: OTEL_EXPORTER_OTLP_ENDPOINT (unset: no spans are made, and the
 * library is not loaded), OTEL_TRACES_SAMPLER_ARG (share of the requests from outside that begin a sampled trace,
 * default 1; one that comes with a traceparent goes on as that says). The library itself reads
 * OTEL_EXPORTER_OTLP_HEADERS.
 *
 * Failure modes: while the collector is away spans wait, up to MAX_WAITING_SPANS, and the rest is dropped; nobody waits
 * for an export but the end of the process, for EXPORT_TIMEOUT_MS.
 */
import { ConfigError, type Env, optionalUrl, text } from '../process/env.ts';
import type { Logger } from '../process/log.ts';

export interface TracingConfig {
  /** The collector's, such as http://collector:4318. */
  readonly endpoint: URL;
  /** From 0 to 1. */
  readonly sampledShare: number;
}

export interface TracingOptions {
  /** `service.name` of the spans. */
  readonly serviceName: string;
  readonly log: Logger;
}

export const MAX_WAITING_SPANS = 8_192;
export const EXPORT_TIMEOUT_MS = 3_000;

/** Undefined unless OTEL_EXPORTER_OTLP_ENDPOINT is set. Throws ConfigError. */
export function readTracingConfig(env: Env): TracingConfig | undefined {
  const endpoint = optionalUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http', 'https']);
  if (endpoint === undefined) return undefined;
  const share = text(env, 'OTEL_TRACES_SAMPLER_ARG', '1');
  const sampledShare = Number(share);
  if (!/^\d*\.?\d+$/.test(share) || sampledShare > 1) {
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG', share, 'a number from 0 to 1');
  }
  return { endpoint, sampledShare };
}

/** To be started before what it traces. Disposing exports what is left. Undefined without a configuration. */
export async function startTracing(
  config: TracingConfig | undefined,
  options: TracingOptions,
): Promise<AsyncDisposable | undefined> {
  if (config === undefined) return undefined;
  const { exportSpans } = await import('./open-telemetry.ts');
  return exportSpans(config, options);
}
