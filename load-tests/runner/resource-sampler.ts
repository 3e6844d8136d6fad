/** Samples the resources of all processes in parallel, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceReading } from '../analysis/resource-measures.ts';
import type { ProcessSeries, ResourceSample } from '../analysis/resources.ts';

export interface Watched {
  readonly name: string;
  /** Reads its current resources; rejects if it does not respond. */
  readonly look: (signal: AbortSignal) => Promise<ResourceReading>;
}

/** More than the 5 s after which a process leaves out a gauge that it cannot read. */
const LOOK_TIMEOUT_MS = 10_000;

/** `stop` resolves with all samples, once none is in flight. */
export function sampleResources(all: readonly Watched[], everyMs: number) {
  const stopping = new AbortController();
  const watches = all.map((each) => watch(each, everyMs, stopping.signal));
  return {
    stop(): Promise<readonly ProcessSeries[]> {
      stopping.abort();
      return Promise.all(watches);
    },
  };
}

async function watch(
  { name, look }: Watched,
  everyMs: number,
  stopping: AbortSignal,
): Promise<ProcessSeries> {
  const samples: ResourceSample[] = [];
  let missed = 0;
  let nextMs = Date.now();
  while (!stopping.aborted) {
    try {
      const reading = await look(AbortSignal.any([stopping, AbortSignal.timeout(LOOK_TIMEOUT_MS)]));
      samples.push({ atMs: Date.now(), ...reading });
    } catch {
      // A sample that the end cut short does not count as missed.
      if (!stopping.aborted) missed += 1;
    }
    // By the clock: a slow response costs the samples that fall into its time, and delays none.
    nextMs += everyMs * Math.max(1, Math.ceil((Date.now() - nextMs) / everyMs));
    await sleep(Math.max(0, nextMs - Date.now()), undefined, { signal: stopping }).catch(() => undefined);
  }
  return { name, samples, missed };
}
