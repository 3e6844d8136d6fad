/**
 * The proxies of the database and the object store, on a separate thread: every query and every object passes
 * through them, and a run that is busy with its load must not slow the product down.
 */
import { Worker } from 'node:worker_threads';
import type { Call, Methods, Outcome, Upstreams } from './proxies-thread.ts';

export type Proxies = Awaited<ReturnType<typeof startProxies>>;

export async function startProxies(upstreams: Upstreams) {
  const worker = new Worker(new URL('./proxies-thread.ts', import.meta.url), { workerData: upstreams });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  worker.on('message', (outcome: Outcome) => {
    const caller = pending.get(outcome.number);
    pending.delete(outcome.number);
    if ('failure' in outcome) caller?.reject(new Error(outcome.failure));
    else caller?.resolve(outcome.result);
  });
  worker.on('error', (error) => {
    if (pending.size === 0) throw error;
    for (const { reject } of pending.values()) reject(error);
  });
  let calls = 0;
  const method = <Name extends keyof Methods>(name: Name) =>
    ((...args: readonly never[]) => {
      const number = calls++;
      const outcome = Promise.withResolvers<unknown>();
      pending.set(number, outcome);
      worker.postMessage({ number, method: name, args } satisfies Call);
      return outcome.promise;
    }) as Methods[Name];
  return {
    ...(await method('addresses')()),
    loseNextCommit: method('loseNextCommit'),
    breakStore: method('breakStore'),
    storeHits: method('storeHits'),
    mendStore: method('mendStore'),
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}
