/** Starts and stops a listening server. */
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
  /** Variables to name in errors. Default: HOST and PORT. */
  readonly variables?: { readonly host: string; readonly port: string };
}

const IDLE_SWEEP_INTERVAL_MS = 100;

/** Resolves to a URL for this machine. Throws a one-line StartError that says what to change. */
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

/** Connections that become idle after the close began would otherwise delay it until they time out. */
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
 * Node counts a connection as idle once its response is written, even if a slow client has yet to read it, and closing
 * the server would cut it off. Idle connections stay open until all responses are read, or until closeAllConnections.
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
