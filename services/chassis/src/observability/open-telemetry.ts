/**
 * Exports spans to an OpenTelemetry collector over OTLP/HTTP. The only module that imports the library, which
 * itself reads OTEL_EXPORTER_OTLP_HEADERS.
 *
 * While the collector is unavailable, up to MAX_WAITING_SPANS spans are queued and further ones are dropped.
 * Only the end of the process waits for an export, at most EXPORT_TIMEOUT_MS.
 */
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { messageOf } from '../errors.ts';
import type { Logger } from '../process/log.ts';
import { newSpanId, type Trace } from '../trace.ts';
import { count } from './shared-metrics.ts';
import { listenToSpans, type Span, type SpanOptions } from './spans.ts';
import type { TracingConfig } from './tracing-config.ts';

export const MAX_WAITING_SPANS = 8_192;
const EXPORT_TIMEOUT_MS = 3_000;
const EXPORT_EVERY_MS = 1_000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanOptions['kind'], SpanKind>;

export function exportSpans(
  { endpoint, sampledShare }: TracingConfig,
  serviceName: string,
  log: Logger,
): AsyncDisposable {
  // A trace that begins here already has its id, because the log contains it.
  let begun = '';
  const queue = createQueueCount();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) }),
    idGenerator: { generateTraceId: () => begun, generateSpanId: newSpanId },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: openExporter(endpoint, log, queue),
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        maxQueueSize: MAX_WAITING_SPANS,
      }),
    ],
  });
  const tracer = provider.getTracer('audiosplit');
  const listening = listenToSpans({
    start(parent, { name, kind, attributes = {} }): Span {
      begun = parent.traceId;
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes: { ...attributes } },
        contextOf(parent),
      );
      const { spanId, traceFlags } = span.spanContext();
      const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      if (isSampled) count('audiosplit_trace_spans_started_total', {});
      return {
        trace: { ...parent, spanId, isSampled },
        end({ attributes: more, errorType, atMs } = {}) {
          if (more !== undefined) span.setAttributes({ ...more });
          if (errorType !== undefined) {
            span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
          }
          if (isSampled) queue.enter();
          span.end(atMs);
        },
      };
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]();
      await provider.shutdown().catch((error: unknown) => {
        log.warn(`the last spans were not exported: ${messageOf(error)}`);
      });
    },
  };
}

/** A trace without a sampling decision has no span yet: this is its first. */
function contextOf({ traceId, spanId, isSampled }: Trace) {
  if (isSampled === undefined) return ROOT_CONTEXT;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

interface QueueCount {
  /** Must be called before the span is ended, which may export it at once. */
  enter(): void;
  leave(spans: number): void;
}

/** The library does not report spans that it drops: those that end while MAX_WAITING_SPANS are queued. */
function createQueueCount(): QueueCount {
  let waiting = 0;
  return {
    enter() {
      if (waiting < MAX_WAITING_SPANS) waiting += 1;
      else count('audiosplit_trace_spans_total', { outcome: 'dropped' });
    },
    leave(spans) {
      waiting -= spans;
    },
  };
}

function openExporter(endpoint: URL, log: Logger, queue: QueueCount): OTLPTraceExporter {
  const base = endpoint.href.endsWith('/') ? endpoint.href : `${endpoint.href}/`;
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', base).href,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  let isFailing = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) => {
    queue.leave(spans.length);
    // The library's own calls are not part of a trace.
    context.with(ROOT_CONTEXT, () =>
      send(spans, (result) => {
        if (result.error !== undefined && !isFailing)
          log.warn(describeFailure(result.error), 'spans cannot be exported');
        if (result.error === undefined && isFailing) log.info('spans are exported again');
        isFailing = result.error !== undefined;
        count('audiosplit_trace_spans_total', { outcome: isFailing ? 'failed' : 'exported' }, spans.length);
        done(result);
      }),
    );
  };
  return exporter;
}

/**
 * Omits the response, which the library's error contains: a response that echoes the request would show the
 * collector's headers.
 */
function describeFailure(error: Error): object {
  return { reason: messageOf(error), ...('code' in error ? { code: error.code } : {}) };
}
