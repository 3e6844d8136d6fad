import { randomInt } from 'node:crypto';
import { isPortFree } from '../../provision/free-port.ts';

/**
 * Below what systems take for outgoing connections (Linux from 32,768, RFC 6335 from 49,152): such a connection would
 * keep a process from listening on a port that was free when it was chosen, and that it comes back to after a restart.
 */
const LOWEST = 16_384;
const HIGHEST = 32_767;

const handedOut = new Set<number>();

/** A port of the loopback interface to listen on, now and later; given out once in this process. */
export async function servicePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port) || !(await isPortFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}
