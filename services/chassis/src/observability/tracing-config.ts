import type { Env } from '../process/env.ts';
import { isSet, parsed, readSettings, text, url } from '../process/settings.ts';

const SHARE = 'a number from 0 to 1';

export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], {
    what: 'OpenTelemetry collector for the spans of requests and jobs, such as `http://localhost:4318`',
    shownDefault: 'off',
    chart: 'tracing.endpoint',
  }),
  OTEL_TRACES_SAMPLER_ARG: parsed(
    {
      what: 'share of the requests whose trace is exported; a request with a `traceparent` follows the flag in it',
      default: 1,
      chart: 'tracing.sampledShare',
    },
    {
      allowed: SHARE,
      parse(value, refuse) {
        if (!/^\d*\.?\d+$/.test(value) || Number(value) > 1) throw refuse(SHARE);
        return Number(value);
      },
    },
  ),
  OTEL_EXPORTER_OTLP_HEADERS: text({
    what: 'headers for the collector, `name=value`, separated by commas; read by the OpenTelemetry library',
    isSecret: true,
    chart: 'tracing.headers',
  }),
};

export interface TracingConfig {
  /** The collector's URL, such as http://collector:4318. */
  readonly endpoint: URL;
  /** From 0 to 1. */
  readonly sampledShare: number;
}

/**
 * Undefined unless OTEL_EXPORTER_OTLP_ENDPOINT is set. The other variables are not read then, because a pod
 * may have them for another sampler. Throws ConfigError.
 */
export function readTracingConfig(env: Env): TracingConfig | undefined {
  if (!isSet(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')) return undefined;
  const values = readSettings(TRACING_SETTINGS, env);
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined ? undefined : { endpoint, sampledShare: values.OTEL_TRACES_SAMPLER_ARG };
}
