/** Measures calls between services, on either side. Streams are long by nature and not measured. */
import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect';
import { isMeasured } from './metrics.ts';
import { observeSince } from './shared-metrics.ts';

/** Must come before every wrapper that may refuse the call. */
export function measureClientCalls(transport: Transport): Transport {
  return {
    unary(...call) {
      if (!isMeasured()) return transport.unary(...call);
      const [method] = call;
      return timed('audiosplit_rpc_client_duration_seconds', method.parent.typeName, method.name, () =>
        transport.unary(...call),
      );
    },
    stream: (...call) => transport.stream(...call),
  };
}

/** Must come after the trace, and before the interceptor that converts other errors to Connect errors. */
export function createServerMeasurement(): Interceptor {
  return (next) => (request) => {
    if (request.stream || !isMeasured()) return next(request);
    const { service, method } = request;
    return timed('audiosplit_rpc_server_duration_seconds', service.typeName, method.name, () =>
      next(request),
    );
  };
}

async function timed<T>(
  metric: 'audiosplit_rpc_client_duration_seconds' | 'audiosplit_rpc_server_duration_seconds',
  service: string,
  method: string,
  call: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let code = 'ok';
  try {
    return await call();
  } catch (error) {
    code = nameOf(ConnectError.from(error).code);
    throw error;
  } finally {
    observeSince(metric, { rpc_service: service, rpc_method: method, rpc_code: code }, startedAt);
  }
}

/** As spelt by the Connect protocol: https://connectrpc.com/docs/protocol#error-codes */
function nameOf(code: Code): string {
  return Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}
