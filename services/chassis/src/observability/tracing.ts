/** Starts the export of spans. The OpenTelemetry library is loaded only where spans are exported. */
import type { Logger } from '../process/log.ts';
import type { TracingConfig } from './tracing-config.ts';

interface TracingOptions {
  /** `service.name` of the spans. */
  readonly serviceName: string;
  readonly log: Logger;
}

/**
 * Start it before the code it traces. Disposing exports the remaining spans. Undefined without a
 * configuration.
 */
export async function startTracing(
  config: TracingConfig | undefined,
  { serviceName, log }: TracingOptions,
): Promise<AsyncDisposable | undefined> {
  if (config === undefined) return undefined;
  const { exportSpans } = await import('./open-telemetry.ts');
  return exportSpans(config, serviceName, log);
}
