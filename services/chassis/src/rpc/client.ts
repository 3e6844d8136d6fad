/**
 * How services and the gateway call one another: generated clients over a transport that adds the caller's
 * identity, the running trace and a deadline to every call.
 */
import type { DescService } from '@bufbuild/protobuf';
import {
  type Client,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import {
  type OutgoingIdempotencyKey,
  outgoingIdempotencyKey,
  REPLAYED_HEADER,
  writeIdempotencyKey,
} from '../idempotency/idempotency-key.ts';
import { createSigningInterceptor } from '../identity/authorization.ts';
import type { IdentityKeys } from '../identity/keys.ts';
import { measureClientCalls } from '../observability/measured-calls.ts';
import { traceClientCalls } from '../observability/traced-calls.ts';
import { traceHeaders } from '../trace.ts';
import { withCallBounds } from './call-bounds.ts';
import { createLeanTransport, openConnectionPool } from './lean-transport/lean-transport.ts';

/** The timeout of a call that sets none. */
export const DEFAULT_TIMEOUT_MS = 5_000;
/** Maximum size of one message; the largest are pages of lists and exports. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The address of a service. */
export interface RpcAddress {
  connect(interceptors: readonly Interceptor[]): Transport;
}

/** A service in another process, `http://host:port`. Its clients share their connections. */
export function remoteAddress(baseUrl: string): RpcAddress {
  let pool: Dispatcher | undefined;
  return {
    connect(interceptors) {
      pool ??= openConnectionPool(baseUrl);
      return createLeanTransport({
        baseUrl,
        interceptors,
        pool,
        defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
        maxMessageBytes: MAX_MESSAGE_BYTES,
      });
    },
  };
}

/** An address that becomes known later: services of one process may need one another in a circle. */
export function lateAddress(resolve: () => RpcAddress): RpcAddress {
  return {
    connect(interceptors) {
      let transport: Transport | undefined;
      const connected = () => {
        transport ??= resolve().connect(interceptors);
        return transport;
      };
      return {
        unary: (...call) => connected().unary(...call),
        stream: (...call) => connected().stream(...call),
      };
    },
  };
}

export interface Caller {
  /** A client that calls in the name of the process itself, or with `actingFor` for an account. */
  client<S extends DescService>(service: S, address: RpcAddress): Client<S>;
}

const callOnce = async (
  key: OutgoingIdempotencyKey,
  next: Parameters<Interceptor>[0],
  request: Parameters<ReturnType<Interceptor>>[0],
): Promise<Awaited<ReturnType<ReturnType<Interceptor>>>> => {
  writeIdempotencyKey(request.header, key);
  try {
    const response = await next(request);
    key.replayed = response.header.has(REPLAYED_HEADER);
    return response;
  } catch (error) {
    key.replayed = error instanceof ConnectError && error.metadata.has(REPLAYED_HEADER);
    throw error;
  }
};

interface CallerOptions {
  readonly keys: IdentityKeys;
  readonly clock: Clock;
}

export function createCaller({ keys, clock }: CallerOptions): Caller {
  return createSigningCaller(createSigningInterceptor(keys, clock));
}

/** A caller whose identity the interceptor `sign` adds to its calls. */
export function createSigningCaller(sign: Interceptor): Caller {
  const addHeaders: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(traceHeaders())) request.header.set(name, value);
    const key = outgoingIdempotencyKey();
    return key === undefined ? next(request) : callOnce(key, next, request);
  };
  return {
    client(descriptor, address) {
      const transport = withCallBounds(address.connect([addHeaders, sign]), {
        defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
      });
      return createClient(descriptor, traceClientCalls(measureClientCalls(transport)));
    },
  };
}
