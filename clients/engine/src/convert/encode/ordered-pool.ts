/** Finished segments that wait to be handed out do not keep a core from working on the next ones. */
import { createDeferred } from '../../deferred.ts';
export const BACKLOG_PER_WORKER = 3;

interface OrderedPool<Item, Result> {
  /** The number of items processed concurrently. */
  readonly workers: number;
  /** No item is started while this many have not been delivered. */
  readonly backlog: number;
  /**
   * Calls `free` once the remaining work keeps no core busy; the next item then starts without waiting for
   * this one.
   */
  readonly work: (item: Item, free: () => void) => Promise<Result>;
  /** Called in the order of the items, one at a time. */
  readonly deliver: (result: Result) => Promise<void>;
  /** Called at once with the first failure, so that the caller can end what `items` or `work` wait for. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Works on a few items concurrently and delivers the results in order, while it works on others. The first
 * failure ends it, after all work in flight has ended. An item is requested only when a worker is free.
 */
export async function runOrdered<Item, Result>(
  items: AsyncIterable<Item>,
  { workers, backlog, work, deliver, onFailure }: OrderedPool<Item, Result>,
): Promise<void> {
  const working = new Set<Promise<void>>();
  const unfinished = new Set<Promise<void>>();
  const deliveries: Promise<void>[] = [];
  let lastDelivery = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    if (failure !== undefined) return;
    failure = { error };
    onFailure(error);
  };
  try {
    for await (const item of items) {
      const { promise: freed, resolve: free } = createDeferred();
      const result = work(item, free);
      const ended: Promise<void> = result
        .then(() => undefined, fail)
        .finally(() => {
          free();
          unfinished.delete(ended);
        });
      unfinished.add(ended);
      const busy: Promise<void> = freed.then(() => void working.delete(busy));
      working.add(busy);
      const before = lastDelivery;
      const delivery = Promise.all([result, before]).then(async ([value]) => {
        if (failure === undefined) await deliver(value);
      });
      lastDelivery = delivery.catch(fail).then(() => {
        deliveries.shift();
      });
      deliveries.push(lastDelivery);
      while (failure === undefined && working.size >= workers) await Promise.race(working);
      while (failure === undefined && deliveries.length >= backlog) await deliveries[0];
      if (failure !== undefined) break;
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(unfinished);
  await Promise.all(deliveries);
  if (failure !== undefined) throw failure.error;
}
