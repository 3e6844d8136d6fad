/**
 * How a service answers: Connect, gRPC and gRPC-Web over cleartext HTTP/2, or the same routes without a
 * socket for the embedded run and for tests. Both go through the same interceptors.
 */
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { isIPv6 } from 'node:net';
import { Health } from '@audiosplit/proto/grpc/health/v1/health';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createRouterTransport,
  type Interceptor,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { StartError } from '../lifecycle.ts';
import type { Logger } from '../log.ts';
import { runInTrace, traceFromHeaders } from '../trace.ts';
import { DEFAULT_TIMEOUT_MS, type RpcAddress } from './client.ts';
import { toConnectError } from './errors.ts';
import { IDENTITY_HEADER, identityKey, verifyIdentity } from './identity.ts';

export type Routes = (router: ConnectRouter) => void;

export interface RpcOptions {
  readonly routes: Routes;
  readonly internalSecret: string;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** Longest that a handler may run, whatever deadline the caller gives; streams are not bounded by it. */
const MAX_TIMEOUT_MS = 60_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export async function startRpcServer(
  options: RpcOptions & { readonly host: string; readonly port: number },
): Promise<RpcServer> {
  const handler = connectNodeAdapter({
    routes: options.routes,
    interceptors: createServerInterceptors(options),
    maxTimeoutMs: MAX_TIMEOUT_MS,
    readMaxBytes: MAX_MESSAGE_BYTES,
    writeMaxBytes: MAX_MESSAGE_BYTES,
  });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const port = await listen(server, options.host, options.port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Calls in flight finish; idle connections go at once.
      for (const session of sessions) session.close();
      const bound = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, 5_000);
      await closed;
      clearTimeout(bound);
    },
  };
}

/** The same service without a socket, for callers in the same process. */
export function serveInProcess(options: RpcOptions): RpcAddress {
  return {
    connect: (interceptors) =>
      createRouterTransport(options.routes, {
        transport: { interceptors: [...interceptors], defaultTimeoutMs: DEFAULT_TIMEOUT_MS },
        router: { interceptors: createServerInterceptors(options) },
      }),
  };
}

function createServerInterceptors(options: RpcOptions): Interceptor[] {
  return [createTraceInterceptor(), createErrorInterceptor(options.log), createIdentityInterceptor(options)];
}

function createTraceInterceptor(): Interceptor {
  return (next) => (request) =>
    runInTrace(
      traceFromHeaders((name) => request.header.get(name)),
      () => next(request),
    );
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
      log.error({ method, err: error }, `call failed: ${messageOf(error)}`);
      throw new ConnectError('internal error', Code.Internal);
    }
  };
}

function createIdentityInterceptor({ internalSecret, clock }: RpcOptions): Interceptor {
  return (next) => async (request) => {
    if (request.service.typeName === Health.typeName) return next(request);
    const identity = verifyIdentity(internalSecret, request.header.get(IDENTITY_HEADER), clock());
    if (identity === undefined)
      throw new ConnectError('a valid internal identity is required', Code.Unauthenticated);
    request.contextValues.set(identityKey, identity);
    return next(request);
  };
}

function listen(server: Http2Server, host: string, port: number): Promise<number> {
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
