/** The attacked product, started as its users start it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Run } from '../harness/command/run.ts';
import { npmStart } from '../harness/installation/as-a-user/npm-start.ts';
import { npmUp, openUpFolder } from '../harness/installation/as-a-user/npm-up.ts';
import type { Target } from './target.ts';

const SCRATCH_LIMIT_BYTES = 2 * 1024 ** 3;

export async function startUnderAttack(isDistributed: boolean, { tell }: Pick<Run, 'tell'>) {
  await using starting = new AsyncDisposableStack();
  const nameServerPort = await freeUdpPort();
  const env = {
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    DNS_SERVERS: `127.0.0.1:${nameServerPort}`,
    SCRATCH_LIMIT_BYTES: String(SCRATCH_LIMIT_BYTES),
    REGISTRATIONS_PER_HOUR: '0',
  };
  tell(isDistributed ? 'the engines and processes start' : 'the product starts');
  const folder = isDistributed ? starting.use(await openUpFolder(resolve('.'))) : undefined;
  const userStart = folder === undefined ? npmStart : npmUp(folder.dataDir);
  // The embedded product has no balancer: its connections come from its callers.
  const proxyEnv = isDistributed ? {} : { TRUST_PROXY: '' };
  const product = starting.use(
    await userStart.start({ env: { ...userStart.sharedEnv, ...env, ...proxyEnv } }),
  );
  const { baseUrl, samplesUrl, processGroup, scratchDirs } = product;
  const target: Omit<Target, 'innocentEmail'> = { baseUrl, samplesUrl, nameServerPort };
  const running = starting.move();
  return {
    baseUrl,
    samplesUrl,
    processGroup,
    scratchDirs,
    target,
    scratchLimitBytes: SCRATCH_LIMIT_BYTES,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}
