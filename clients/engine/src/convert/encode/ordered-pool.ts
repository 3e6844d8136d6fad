/** Finished segments that wait to be handed out keep no core from working on the next ones. */
import { createDeferred } from '../../deferred.ts';
export const BACKLOG_PER_WORKER = 3;

interface OrderedPool<Item, Result> {
  /** How many items are worked on at a time. */
  readonly workers: number;
  /** No item is begun while this many are not handed on. */
  readonly backlog: number;
  /** Calls `free` once what is left to do keeps no core busy: the next item is begun without waiting for that. */
  readonly work: (item: Item, free: () => void) => Promise<Result>;
  /** Called in the order of the items, one at a time. */
  readonly deliver: (result: Result) => Promise<void>;
  /** Called at once with the first failure, so that whatever `items` or `work` wait for can be ended. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Works on a few items at a time and hands the results on in order; while one is being handed on, others are worked
 * on. The first failure ends it, after all work in flight has ended. An item is asked for only when a
 * worker is free for it.
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
