/**
 * Marks the pieces of work of a trace. As with metrics.ts, nothing happens until a sink listens (tracing.ts),
 * and then only in sampled traces. The request from outside that begins a trace decides the sampling for all
 * work it causes, in this and other processes.
 *
 * Work that no request has caused (periodic work, polling) is in no trace, so traces contain the work for
 * which a caller waits.
 */
import { currentTrace, runInTrace, type Trace } from '../trace.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** Named as in https://opentelemetry.io/docs/specs/semconv/. No secrets, such as a URL with its query. */
  readonly attributes?: SpanAttributes;
  /** Default: the running trace. */
  readonly parent?: Trace;
  /** Whether this span may begin a trace. */
  readonly mayBegin?: boolean;
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** The kind of failure; absent on success. */
  readonly errorType?: string | undefined;
  /** When, by performance.now; default: now. */
  readonly atMs?: number | undefined;
}

export interface Span {
  /** Parent for the parts of this piece of work. */
  readonly trace: Trace;
  /** Once. */
  end(end?: SpanEnd): void;
}

interface SpanSink {
  start(parent: Trace, options: SpanOptions): Span;
}

let sink: SpanSink | undefined;

export function isTraced(): boolean {
  return sink !== undefined;
}

/** Undefined if there is no trace or no sink. */
export function startSpan(options: SpanOptions): Span | undefined {
  if (sink === undefined) return undefined;
  const parent = options.parent ?? currentTrace();
  if (parent === undefined) return undefined;
  const isWanted = parent.isSampled ?? options.mayBegin === true;
  return isWanted ? sink.start(parent, options) : undefined;
}

/** Runs the work as a span of the trace, and rejects if the work does. */
export function inSpan<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = startSpan(options);
  if (span !== undefined) return runInTrace(span.trace, () => endWith(span, work));
  return options.parent === undefined ? work() : runInTrace(options.parent, work);
}

/** For polling on behalf of the running trace: its caller does not wait for these responses. */
export function withoutSpans<T>(work: () => T): T {
  const trace = currentTrace();
  return trace?.isSampled === true ? runInTrace({ ...trace, isSampled: false }, work) : work();
}

async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  let errorType: string | undefined;
  try {
    return await work();
  } catch (error) {
    errorType = errorTypeOf(error);
    throw error;
  } finally {
    span.end({ errorType });
  }
}

/** Never the message, because it may contain secrets. */
export function errorTypeOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Only one sink at a time. */
export function listenToSpans(listener: SpanSink): Disposable {
  if (sink !== undefined) throw new Error('the spans of this process have a sink already');
  sink = listener;
  return {
    [Symbol.dispose]() {
      sink = undefined;
    },
  };
}
