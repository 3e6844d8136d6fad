import { randomInt } from 'node:crypto';
import { isPortFree } from '../../provision/free-port.ts';

/**
 * Below the ports of outgoing connections (Linux from 32,768, RFC 6335 from 49,152): such a connection would keep a
 * process from listening again on its port after a restart.
 */
const LOWEST = 16_384;
const HIGHEST = 32_767;

const handedOut = new Set<number>();

/** A free port of the loopback interface that stays free over restarts; returned once in this process. */
export async function servicePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port) || !(await isPortFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}
