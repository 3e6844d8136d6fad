/** How a server of the gateway's begins to listen, and how it ends. */
import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { readArrived } from '@audiosplit/chassis/net/read-arrived';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { FastifyInstance } from 'fastify';
import { hasUnsentAnswer } from './request-end.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Names of the variables that these come from; HOST and PORT by default. */
  readonly variables?: { readonly host: string; readonly port: string };
}

const IDLE_SWEEP_INTERVAL_MS = 100;

/** Resolves to a URL that works on this machine. Throws StartError, in one line that says what to change. */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<string> {
  const { host, port, variables = { host: 'HOST', port: 'PORT' } } = address;
  keepUnsentAnswers(app.server);
  app.addHook('preClose', () => readArrived(app.server));
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const advice = adviceFor(code, variables);
    if (advice === undefined) throw error;
    throw new StartError(`cannot listen on ${hostPort(host, port)} (${code}): ${advice}`);
  }
  const bound = app.server.address();
  const actualPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${hostPort(reachable, actualPort)}`;
}

function adviceFor(code: unknown, { host, port }: { readonly host: string; readonly port: string }) {
  switch (code) {
    case 'EADDRINUSE':
      return `another program has this port; set ${port} to a free one`;
    case 'EACCES':
      return `this port is reserved; set ${port} to one above 1023`;
    case 'EADDRNOTAVAIL':
      return `this machine has no such address; set ${host} to one that it has`;
    default:
      return undefined;
  }
}

function hostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Connections that fall idle only after the close began would otherwise hold it up until they time out. */
export async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const sweep = setInterval(async () => {
    await readArrived(app.server);
    app.server.closeIdleConnections();
  }, IDLE_SWEEP_INTERVAL_MS);
  const bound = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(bound);
  }
}

/**
 * To Node a connection is idle once its answer has been made, while the end of a large one may wait for a slow reader: closing a
 * server would cut it off. Idle ones stay open until there is none such, or until closeAllConnections.
 */
function keepUnsentAnswers(server: Server): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (![...sockets].some(hasUnsentAnswer)) closeIdle();
  };
}
