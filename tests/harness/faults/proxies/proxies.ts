/**
 * Both proxies of ours on a thread of their own: every query and every object passes through them, and a run that is busy
 * with its load must not slow the product down.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LostCommit } from './database-proxy.ts';
import type { ObjectStoreFault } from './object-store-proxy.ts';
import type { Answer, NumberedOrder, Order, Ready, Upstreams } from './proxies-messages.ts';

export interface Proxies extends AsyncDisposable {
  readonly databasePort: number;
  readonly storeUrl: string;
  /** `application` is the connection's application_name. Rejects when no commit came in the time. */
  loseNextCommit(application: string, timeoutMs: number): Promise<LostCommit>;
  breakStore(fault: ObjectStoreFault): Promise<void>;
  /** Requests that the fault of the store has met so far. */
  storeHits(): Promise<number>;
  mendStore(): Promise<void>;
}

export async function startProxies(upstreams: Upstreams): Promise<Proxies> {
  const worker = new Worker(new URL('./proxies-thread.ts', import.meta.url), { workerData: upstreams });
  const [ready] = (await once(worker, 'message')) as [Ready];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  worker.on('message', (answer: Answer) => {
    const waiter = waiting.get(answer.number);
    waiting.delete(answer.number);
    if ('failure' in answer) waiter?.reject(new Error(answer.failure));
    else waiter?.resolve(answer.result);
  });
  let orders = 0;
  const ask = <T>(order: Order): Promise<T> => {
    const number = orders++;
    const answered = Promise.withResolvers<unknown>();
    waiting.set(number, answered);
    worker.postMessage({ number, order } satisfies NumberedOrder);
    return answered.promise as Promise<T>;
  };
  return {
    ...ready,
    loseNextCommit: (application, timeoutMs) => ask({ kind: 'lose next commit', application, timeoutMs }),
    breakStore: (fault) => ask({ kind: 'break store', fault }),
    storeHits: () => ask({ kind: 'store hits' }),
    mendStore: () => ask({ kind: 'mend store' }),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
