import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { createInProcessTransport } from './in-process.ts';
import { describeUnaryCalls, type Serve, type Served, type ServeOptions } from './lean-transport.contract.ts';
import { createLeanTransport, openConnectionPool } from './lean-transport.ts';
import { createListener, type Listener } from './listener.ts';
import { createLeanHandler } from './server.ts';

const HOST = '127.0.0.1';
const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;

function listenerOf({ routes, interceptors, maxMessageBytes }: ServeOptions): Listener {
  return createListener({
    lean: createLeanHandler({ routes, interceptors, maxMessageBytes, maxTimeoutMs: MAX_TIMEOUT_MS }),
    stock: connectNodeAdapter({
      routes,
      interceptors: [...interceptors],
      maxTimeoutMs: MAX_TIMEOUT_MS,
      readMaxBytes: maxMessageBytes,
      writeMaxBytes: maxMessageBytes,
    }),
  });
}

async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

function leanTransport(baseUrl: string, options: Partial<Parameters<typeof createLeanTransport>[0]> = {}) {
  return createLeanTransport({
    baseUrl,
    interceptors: [],
    defaultTimeoutMs: TIMEOUT_MS,
    maxMessageBytes: 4 * 1024 * 1024,
    pool: openConnectionPool(baseUrl),
    ...options,
  });
}

/** Our server, and the requests that reach it. */
function ours(connect: (baseUrl: string, options: ServeOptions) => Served['connect']): Serve {
  return async (options) => {
    const listener = listenerOf(options);
    const baseUrl = await listen(listener.server);
    return { connect: connect(baseUrl, options), [Symbol.asyncDispose]: () => listener.close(0) };
  };
}

const limits = ({ maxMessageBytes }: ServeOptions) => ({
  defaultTimeoutMs: TIMEOUT_MS,
  readMaxBytes: maxMessageBytes,
  writeMaxBytes: maxMessageBytes,
});

describeUnaryCalls(
  'over the lean transport',
  ours(
    (baseUrl, { maxMessageBytes }) =>
      (interceptors) =>
        leanTransport(baseUrl, { interceptors, maxMessageBytes }),
  ),
);

describeUnaryCalls('over the lean transport, to a stock server', async (options) => {
  const server = createHttpServer(
    connectNodeAdapter({
      routes: options.routes,
      interceptors: [...options.interceptors],
      readMaxBytes: options.maxMessageBytes,
      writeMaxBytes: options.maxMessageBytes,
    }),
  );
  const baseUrl = await listen(server);
  return {
    connect: (interceptors) =>
      leanTransport(baseUrl, { interceptors, maxMessageBytes: options.maxMessageBytes }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
});

describeUnaryCalls(
  'from a stock Connect client, over HTTP/1.1',
  ours(
    (baseUrl, options) => (interceptors) =>
      createConnectTransport({
        baseUrl,
        httpVersion: '1.1',
        interceptors: [...interceptors],
        ...limits(options),
      }),
  ),
);

describeUnaryCalls(
  'from a stock Connect client, over HTTP/2 and in JSON',
  ours(
    (baseUrl, options) => (interceptors) =>
      createConnectTransport({
        baseUrl,
        httpVersion: '2',
        useBinaryFormat: false,
        interceptors: [...interceptors],
        ...limits(options),
      }),
  ),
);

describeUnaryCalls(
  'from a stock gRPC client',
  ours(
    (baseUrl, options) => (interceptors) =>
      createGrpcTransport({ baseUrl, interceptors: [...interceptors], ...limits(options) }),
  ),
);

describeUnaryCalls(
  'from a stock gRPC-Web client, over HTTP/1.1',
  ours(
    (baseUrl, options) => (interceptors) =>
      createGrpcWebTransport({
        baseUrl,
        httpVersion: '1.1',
        interceptors: [...interceptors],
        ...limits(options),
      }),
  ),
);

describeUnaryCalls('in process', async (options) => ({
  connect: (clientInterceptors) =>
    createInProcessTransport({
      routes: options.routes,
      clientInterceptors,
      serverInterceptors: options.interceptors,
      defaultTimeoutMs: TIMEOUT_MS,
      maxTimeoutMs: MAX_TIMEOUT_MS,
      maxMessageBytes: options.maxMessageBytes,
    }),
  async [Symbol.asyncDispose]() {},
}));
