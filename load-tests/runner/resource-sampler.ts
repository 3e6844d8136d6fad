/** Samples what processes hold, all of them at once, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceReading } from '../analysis/resource-measures.ts';
import type { ProcessSeries, ResourceSample } from '../analysis/resources.ts';

export interface Watched {
  readonly name: string;
  /** What it holds now; rejects where it cannot be asked. */
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
      // One that was cut short by the end is none.
      if (!stopping.aborted) missed += 1;
    }
    // By the clock: an answer that takes longer costs the looks that it takes, and puts off none.
    nextMs += everyMs * Math.max(1, Math.ceil((Date.now() - nextMs) / everyMs));
    await sleep(Math.max(0, nextMs - Date.now()), undefined, { signal: stopping }).catch(() => undefined);
  }
  return { name, samples, missed };
}
