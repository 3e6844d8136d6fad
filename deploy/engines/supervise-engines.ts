/**
 * Restarts engines that have died, with their data and, if it is free, their port. An engine that hangs is
 * left alone: it may continue, and a restart would lose its data in memory. Each consecutive start that fails
 * or does not last doubles the pause before the next.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../provision/process-identity.ts';
import type { Report } from '../provision/progress.ts';
import type { EngineName } from './engine.ts';
import { readState } from './engines-state.ts';
import { startEngines } from './start-engines.ts';

interface EngineSupervisionOptions {
  readonly dir: string;
  readonly engines: readonly EngineName[];
  readonly report: Report;
}

const LOOK_EVERY_MS = 250;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** An engine that has run for this long did not die because of its start. */
const HEALTHY_AFTER_MS = 60_000;

/** Disposing waits for a start in progress and leaves the engines running. */
export function superviseEngines(options: EngineSupervisionOptions) {
  const over = new AbortController();
  const restarts = new Map<EngineName, number>();
  // Only one start at a time may run in a state folder.
  let queue: Promise<unknown> = Promise.resolve();
  const start = (name: EngineName): Promise<void> => {
    const started = queue.then(async () => {
      over.signal.throwIfAborted();
      await startEngines({ dir: options.dir, only: [name], signal: over.signal, report: options.report });
      restarts.set(name, (restarts.get(name) ?? 0) + 1);
    });
    queue = started.catch(() => undefined);
    return started;
  };
  const watching = options.engines.map((name) => watch(name, options, over.signal, () => start(name)));
  return {
    restarts: (name: EngineName) => restarts.get(name) ?? 0,
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all(watching);
    },
  };
}

async function watch(
  name: EngineName,
  { dir, report }: EngineSupervisionOptions,
  over: AbortSignal,
  start: () => Promise<void>,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);
  let pauseMs = FIRST_PAUSE_MS;
  let aliveSinceMs = performance.now();
  for (;;) {
    await pause(LOOK_EVERY_MS);
    if (over.aborted) return;
    const running = readState(dir)[name]?.process;
    if (running !== null && running !== undefined && isAlive(running)) continue;
    if (performance.now() - aliveSinceMs > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
    await pause(pauseMs);
    if (over.aborted) return;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    try {
      await start();
      aliveSinceMs = performance.now();
    } catch (error) {
      if (!over.aborted) report(name, `could not be started again: ${error}`);
    }
  }
}
