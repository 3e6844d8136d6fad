/**
 * Spans of calls between services, on either side. Streams are long by nature, and probes belong to no
 * request; neither has spans.
 */
import { Health } from '@audiosplit/proto/grpc/health/v1/health';
import type { DescMethod } from '@bufbuild/protobuf';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { runInTrace, type Trace, traceFromHeaders } from '../trace.ts';
import { inSpan, isTraced, type SpanOptions } from './spans.ts';

/** Must come before the wrapper that adds the running trace's headers. */
export function traceClientCalls(transport: Transport): Transport {
  return {
    unary(...call) {
      if (!isTraced()) return transport.unary(...call);
      return inSpan(spanOf(call[0], 'client'), () => transport.unary(...call));
    },
    stream: (...call) => transport.stream(...call),
  };
}

/** Continues the caller's trace. Must come before every interceptor that logs. */
export function createTraceInterceptor(): Interceptor {
  return (next) => (request) => {
    const parent: Trace = traceFromHeaders((name) => request.header.get(name));
    const isCall = isTraced() && !request.stream && request.service.typeName !== Health.typeName;
    if (!isCall) return runInTrace(parent, () => next(request));
    return inSpan({ ...spanOf(request.method, 'server'), parent }, () => next(request));
  };
}

/** https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/ */
function spanOf(method: DescMethod, kind: 'client' | 'server'): SpanOptions {
  const service = method.parent.typeName;
  return {
    name: `${service}/${method.name}`,
    kind,
    attributes: { 'rpc.system': 'connect_rpc', 'rpc.service': service, 'rpc.method': method.name },
  };
}
