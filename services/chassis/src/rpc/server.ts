/**
 * Serves a service's routes: Connect, gRPC and gRPC-Web without TLS, over HTTP/1.1 and HTTP/2 on one port, or
 * without a socket for the embedded run and for tests. Both use the same interceptors.
 */
import { isIPv6, type Server } from 'node:net';
import { Code, ConnectError, type ConnectRouter, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Clock } from '../clock.ts';
import { InvalidParamsError, messageOf, ServiceError, UnavailableError } from '../errors.ts';
import { createAdmissionInterceptor } from '../identity/authorization.ts';
import type { IdentityKeys } from '../identity/keys.ts';
import { createServerMeasurement } from '../observability/measured-calls.ts';
import { createTraceInterceptor } from '../observability/traced-calls.ts';
import { isPostgresAway } from '../postgres/availability.ts';
import { isUnstorableText } from '../postgres/pool.ts';
import { StartError } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import { DEFAULT_TIMEOUT_MS, MAX_MESSAGE_BYTES, type RpcAddress } from './client.ts';
import { startDeadline, timeoutFromHeaders } from './deadline.ts';
import { toConnectError } from './errors.ts';
import { createInProcessTransport } from './lean-transport/in-process.ts';
import { createListener } from './lean-transport/listener.ts';
import { createLeanHandler } from './lean-transport/server.ts';

export type Routes = (router: ConnectRouter) => void;

export interface RpcOptions {
  readonly routes: Routes;
  readonly keys: IdentityKeys;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Disposing: no new connections; calls in flight finish within `drainGraceMs`. */
export interface RpcServer extends AsyncDisposable {
  readonly port: number;
  /**
   * Continues to serve, but asks clients to use another process, so that no connection is left on disposal.
   */
  drain(): void;
}

/** Maximum run time of a handler: a call with a longer deadline is refused. Streams are not bounded by it. */
export const MAX_TIMEOUT_MS = 60_000;
/** Longer than the deadline of nearly all calls, and within a process's time for closing (decision 0026). */
const DRAIN_GRACE_MS = 15_000;

export async function startRpcServer(
  options: RpcOptions & { readonly host: string; readonly port: number; readonly drainGraceMs?: number },
): Promise<RpcServer> {
  const { routes } = options;
  const interceptors = createServerInterceptors(options);
  const { server, drain, close } = createListener({
    lean: createLeanHandler({
      routes,
      interceptors,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    }),
    stock: connectNodeAdapter({
      routes,
      interceptors,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      readMaxBytes: MAX_MESSAGE_BYTES,
      writeMaxBytes: MAX_MESSAGE_BYTES,
    }),
  });
  const port = await listen(server, options.host, options.port);
  return { port, drain, [Symbol.asyncDispose]: () => close(options.drainGraceMs ?? DRAIN_GRACE_MS) };
}

/** The same service without a socket, for callers in the same process. */
export function serveInProcess(options: RpcOptions): RpcAddress {
  return {
    connect: (interceptors) =>
      createInProcessTransport({
        routes: options.routes,
        clientInterceptors: interceptors,
        serverInterceptors: createServerInterceptors(options),
        defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
        maxTimeoutMs: MAX_TIMEOUT_MS,
        maxMessageBytes: MAX_MESSAGE_BYTES,
      }),
  };
}

function createServerInterceptors(options: RpcOptions): Interceptor[] {
  return [
    createTraceInterceptor(),
    createServerMeasurement(),
    createDeadlineInterceptor(),
    createErrorInterceptor(options.log),
    createAdmissionInterceptor(options.keys, options.clock),
  ];
}

/** The requests of a unary handler to others must end when its caller stops waiting. */
function createDeadlineInterceptor(): Interceptor {
  return (next) => async (request) => {
    const timeoutMs = timeoutFromHeaders(request.header);
    if (timeoutMs === undefined || request.stream) return next(request);
    const deadline = startDeadline(timeoutMs);
    try {
      return await deadline.run(() => next(request));
    } finally {
      deadline.end();
    }
  };
}

function createErrorInterceptor(log: Logger): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const method = `${request.service.typeName}/${request.method.name}`;
      if (error instanceof ServiceError) {
        if (error.details.cause !== undefined) log.warn({ method, err: error.details.cause }, error.message);
        throw toConnectError(error);
      }
      if (error instanceof ConnectError && error.code !== Code.Unknown && error.code !== Code.Internal)
        throw error;
      if (isPostgresAway(error)) {
        log.warn({ method, err: error }, 'what the call needs is not available');
        throw toConnectError(new UnavailableError(error));
      }
      if (isUnstorableText(error)) {
        log.warn({ method, err: error }, 'the call brings text that cannot be kept');
        throw toConnectError(new InvalidParamsError('request', 'must not hold the character U+0000.'));
      }
      log.error({ method, err: error }, `call failed: ${messageOf(error)}`);
      throw new ConnectError('internal error', Code.Internal);
    }
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL'
          ? new StartError(`cannot listen on ${address} (${error.code}): choose another RPC_PORT or RPC_HOST`)
          : error,
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
