import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ensureDebianProgram } from '../provision/debian-program.ts';
import type { Launch } from '../provision/launch.ts';
import type { Address, Engine, Preparation, SecuredListener } from './engine.ts';
import { aclFile, REDIS_USER } from './redis-access.ts';

/** Redis from Debian's packages, in memory only. */
export const redis: Engine = {
  name: 'redis',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  endpoints({ port, secret, secured, restricted }) {
    const login = restricted === true ? `${REDIS_USER}:${secret}@` : '';
    const isPlain = secured === undefined;
    return {
      redisUrl: isPlain ? `redis://${login}127.0.0.1:${port}` : `rediss://${login}localhost:${secured.port}`,
    };
  },
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

async function prepare(preparation: Preparation): Promise<Launch> {
  const { port, secured, secret, restricted, dataDir, task } = preparation;
  const program = { title: 'Redis', names: ['redis-server'], packageName: 'redis-server' };
  const command = await ensureDebianProgram(program, task);
  const args = serverArguments(dataDir, port, secured);
  if (restricted !== true) return { command, args };
  const file = join(dataDir, 'users.acl');
  await writeFile(file, aclFile(secret), { mode: 0o600 });
  return { command, args: [...args, '--aclfile', file] };
}

async function probe({ port, secret, restricted }: Address): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  const signal = AbortSignal.timeout(2_000);
  socket.on('end', () => socket.destroy(new Error('the connection was closed without an answer')));
  try {
    await once(socket, 'connect', { signal });
    const login = restricted === true ? [`AUTH ${REDIS_USER} ${secret}`] : [];
    for (const [index, command] of [...login, 'PING'].entries()) {
      socket.write(`${command}\r\n`);
      const [reply] = await once(socket, 'data', { signal });
      if (String(reply) !== (index === login.length ? '+PONG\r\n' : '+OK\r\n'))
        throw new Error(`it answered with ${JSON.stringify(String(reply))}`);
    }
  } finally {
    socket.destroy();
  }
}
