/** As much of AsyncDisposableStack as is needed here, for Node 20, which does not have it. */
export interface CleanupStack extends AsyncDisposable {
  use<T extends AsyncDisposable | Disposable>(resource: T): T;
  defer(cleanup: Cleanup): void;
  /** The stack is empty from then on; what was in it is disposed with the new one. */
  move(): AsyncDisposable;
}

type Cleanup = () => void | PromiseLike<void>;

export function createCleanupStack(): CleanupStack {
  let cleanups: Cleanup[] = [];
  return {
    use(resource) {
      cleanups.push(() =>
        Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
      );
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
async function runAll(cleanups: Cleanup[]): Promise<void> {
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
