import { once } from 'node:events';
import { connect } from 'node:net';
import { ensureDebianProgram } from '../provision/debian-program.ts';
import type { Launch } from '../provision/launch.ts';
import type { Address, Engine, Preparation, SecuredListener } from './engine.ts';

/** Redis from Debian's packages, in memory only. */
export const redis: Engine = {
  name: 'redis',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  endpoints: ({ port, secured }) => ({
    redisUrl: secured === undefined ? `redis://127.0.0.1:${port}` : `rediss://localhost:${secured.port}`,
  }),
};

export function serverArguments(dataDir: string, port: number, secured?: SecuredListener): string[] {
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    save: '',
    appendonly: 'no',
    daemonize: 'no',
    dir: dataDir,
    ...(secured && {
      'tls-port': String(secured.port),
      'tls-cert-file': secured.identityFile,
      'tls-key-file': secured.identityFile,
      'tls-ca-cert-file': secured.authorityFile,
      'tls-auth-clients': 'no',
    }),
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function prepare({ port, secured, dataDir, task }: Preparation): Promise<Launch> {
  const program = { title: 'Redis', names: ['redis-server'], packageName: 'redis-server' };
  const command = await ensureDebianProgram(program, task);
  return { command, args: serverArguments(dataDir, port, secured) };
}

async function probe({ port }: Address): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  const signal = AbortSignal.timeout(2_000);
  socket.on('end', () => socket.destroy(new Error('the connection was closed without an answer')));
  try {
    await once(socket, 'connect', { signal });
    socket.write('PING\r\n');
    const [reply] = await once(socket, 'data', { signal });
    if (String(reply) !== '+PONG\r\n')
      throw new Error(`PING was answered with ${JSON.stringify(String(reply))}`);
  } finally {
    socket.destroy();
  }
}
