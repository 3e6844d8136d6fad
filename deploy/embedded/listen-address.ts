import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { hasCode } from '@audiosplit/chassis/errors';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The URL of the API on this machine. */
  readonly baseUrl: string;
}

/**
 * Determines the address before anything is started, so that a taken port is reported at once. Port 0 becomes
 * a free one. Throws StartError, ConfigError.
 */
export async function settleListenAddress(host: string, port: number): Promise<ListenAddress> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE'))
      throw new StartError(`PORT ${port} on ${host} is taken: stop what uses it, or set PORT to another`);
    if (hasCode(error, 'EACCES'))
      throw new StartError(`PORT ${port} needs more rights than this user has: set PORT to 1024 or higher`);
    throw new ConfigError('HOST', host, 'an address of this machine, such as 127.0.0.1 or 0.0.0.0');
  }
  const { port: settled } = server.address() as AddressInfo;
  await server[Symbol.asyncDispose]();
  return { host, port: settled, baseUrl: `http://${reachableHost(host)}:${settled}` };
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
