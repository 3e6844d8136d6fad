/** A bounded number of places; whoever finds none waits in line. */
export interface Places {
  take(): Promise<AsyncDisposable>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const waiting: (() => void)[] = [];
  const place: AsyncDisposable = {
    async [Symbol.asyncDispose]() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return place;
    },
  };
}
