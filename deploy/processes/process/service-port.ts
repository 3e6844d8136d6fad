import { randomInt } from 'node:crypto';
import { isPortFree } from '../../provision/free-port.ts';

/**
 * Below the ports of outgoing connections (Linux from 32,768, RFC 6335 from 49,152): such a connection could
 * prevent a process from listening on its port again after a restart.
 */
const LOWEST = 16_384;
const HIGHEST = 32_767;

const handedOut = new Set<number>();

/** A free port of the loopback interface that stays free over restarts; this process returns it only once. */
export async function servicePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port) || !(await isPortFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}
