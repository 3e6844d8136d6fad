/**
 * The time between a process reporting that it is not ready and its closing the port.
 *
 * A balancer, or the endpoints of Kubernetes, notice it a moment later and send calls until then. These calls
 * are served; if the process closed its port at once, they would fail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { integer } from './settings.ts';

export const DRAIN_DELAY = integer({
  what: 'how long a stopping process reports that it is not ready, and still serves',
  // A cluster removes endpoints within one or two seconds; a busy control plane takes longer.
  default: 5,
  min: 0,
  max: 60,
  chart: 'drain.delaySeconds',
});

/** Resolves at once when `inHaste` aborts. */
export async function drainDelay(delayMs: number, inHaste: AbortSignal): Promise<void> {
  if (delayMs === 0) return;
  await sleep(delayMs, undefined, { signal: inHaste }).catch(() => undefined);
}
