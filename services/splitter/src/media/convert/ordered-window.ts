/**
 * Runs `work` on a few items at a time and hands the results on in order, one at a time. While a result is
 * being handed on, the items after it are worked on; no item is begun while `width` are unfinished.
 * The first failure ends it, after all work under way has ended.
 */
export async function runOrdered<Item, Result>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  deliver: (result: Result) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const running: Promise<Result>[] = [];
  const deliverOldest = async (): Promise<void> => {
    const oldest = running[0];
    if (oldest === undefined) return;
    await deliver(await oldest);
    running.shift();
  };
  try {
    for await (const item of items) {
      const result = work(item);
      // Awaited in its turn; until then a failure must not count as unhandled.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= width) await deliverOldest();
    }
    while (running.length > 0) await deliverOldest();
  } catch (error) {
    onFailure(error);
    await Promise.allSettled(running);
    throw error;
  }
}
