/** The bus connection of the page: opened on first use, and reopened after a failure. */
import { UnavailableError } from '@audiosplit/chassis/errors';
import type { BusOperations } from '@audiosplit/chassis/event-bus/bus-operations';

export interface SharedBus extends AsyncDisposable {
  /** Throws UnavailableError if the bus cannot be reached or the connection breaks. */
  use<T>(work: (bus: BusOperations) => Promise<T>): Promise<T>;
}

export function createSharedBus(open: () => Promise<BusOperations>): SharedBus {
  let current: Promise<BusOperations> | undefined;
  const discard = async (broken: Promise<BusOperations>) => {
    if (current === broken) current = undefined;
    await broken.then((bus) => bus[Symbol.asyncDispose]()).catch(() => undefined);
  };
  return {
    async use(work) {
      current ??= open();
      const opened = current;
      try {
        return await work(await opened);
      } catch (error) {
        await discard(opened);
        throw new UnavailableError(error);
      }
    },
    async [Symbol.asyncDispose]() {
      if (current !== undefined) await discard(current);
    },
  };
}
