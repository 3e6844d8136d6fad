/**
 * The time between a process saying that it is not ready and its ceasing to listen.
 *
 * What spreads calls (a balancer's check, Kubernetes' endpoints) learns of it a moment later, and sends calls until
 * then. They are answered as always; had the process stopped listening at once, they would fail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Env, integer } from './env.ts';

/** Endpoints of a cluster are forgotten within a second or two; a busy control plane takes longer. */
const DEFAULT_SECONDS = 5;

/** DRAIN_DELAY_SECONDS. */
export function readDrainDelayMs(env: Env): number {
  return integer(env, 'DRAIN_DELAY_SECONDS', DEFAULT_SECONDS, 0, 60) * 1_000;
}

/** Over at once when there is haste. */
export async function drainDelay(delayMs: number, inHaste: AbortSignal): Promise<void> {
  if (delayMs === 0) return;
  await sleep(delayMs, undefined, { signal: inHaste }).catch(() => undefined);
}
