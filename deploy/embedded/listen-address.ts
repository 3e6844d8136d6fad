import { createServer } from 'node:net';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** How this machine reaches it. */
  readonly baseUrl: string;
}

/**
 * Resolves where to listen before anything is started, so that a taken port is reported at once. Port 0
 * becomes a free one. Throws StartError, ConfigError.
 */
export async function settleListenAddress(host: string, port: number): Promise<ListenAddress> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(`PORT ${port} on ${host} is taken: stop what uses it, or set PORT to another`);
    if (code === 'EACCES')
      throw new StartError(`PORT ${port} needs more rights than this user has: set PORT to 1024 or higher`);
    throw new ConfigError('HOST', host, 'an address of this machine, such as 127.0.0.1 or 0.0.0.0');
  }
  const address = server.address();
  const settled = typeof address === 'object' && address !== null ? address.port : port;
  await new Promise((resolve) => server.close(resolve));
  return { host, port: settled, baseUrl: `http://${reachableHost(host)}:${settled}` };
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
