/**
 * OTEL_EXPORTER_OTLP_ENDPOINT (unset: no spans are made), OTEL_TRACES_SAMPLER_ARG (share of the requests from outside
 * that begin a sampled trace, default 1; a request with a traceparent follows that one's flag).
 */
import { ConfigError, type Env, optionalUrl, text } from '../process/env.ts';

export interface TracingConfig {
  /** The collector's, such as http://collector:4318. */
  readonly endpoint: URL;
  /** From 0 to 1. */
  readonly sampledShare: number;
}

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
