/** A collector of spans as OpenTelemetry's, for one test: OTLP over HTTP, in JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface CollectedSpan {
  /** `service.name` of the sender. */
  readonly serviceName: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty or absent for the first of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  /** 2: it failed. */
  readonly status?: { readonly code?: number };
}

interface TraceCollector extends AsyncDisposable {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: CollectedSpan[];
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: Pick<CollectedSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'serviceName'>[] }[];
  }[];
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans = [] } = (await json(request)) as ExportRequest;
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (!isTraces) return response.writeHead(404).end();
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === 'service.name');
      const serviceName = String(name?.value.stringValue);
      for (const { spans: sent } of scopeSpans) spans.push(...sent.map((span) => ({ ...span, serviceName })));
    }
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
