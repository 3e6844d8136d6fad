/** As much of AsyncDisposableStack as is needed here, for Node 20, which does not have it. */
export interface CleanupStack extends AsyncDisposable {
  use<T extends AsyncDisposable>(resource: T): T;
  defer(cleanup: () => Promise<void>): void;
  /** The stack is empty from then on; what was in it is disposed with the new one. */
  move(): AsyncDisposable;
}

export function createCleanupStack(): CleanupStack {
  let cleanups: (() => PromiseLike<void>)[] = [];
  return {
    use(resource) {
      cleanups.push(() => resource[Symbol.asyncDispose]());
      return resource;
    },
    defer(cleanup) {
      cleanups.push(cleanup);
    },
    move() {
      const moved = cleanups;
      cleanups = [];
      return { [Symbol.asyncDispose]: () => runAll(moved) };
    },
    [Symbol.asyncDispose]: () => runAll(cleanups),
  };
}

/** The last first, each once; throws the first error when all have run. */
async function runAll(cleanups: (() => PromiseLike<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
