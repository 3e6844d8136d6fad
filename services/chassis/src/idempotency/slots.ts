/** A bounded number of places; who finds none free waits for its turn. */
export interface Slots {
  take(): Promise<AsyncDisposable>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return { [Symbol.asyncDispose]: giveBack };
    },
  };
}
