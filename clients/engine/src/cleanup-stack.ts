/** The part of AsyncDisposableStack that is needed here, because Node 20 does not have it. */
export interface CleanupStack extends AsyncDisposable {
  use<T extends AsyncDisposable | Disposable>(resource: T): T;
  defer(cleanup: Cleanup): void;
  /** Moves the content to a new stack, which then disposes of it; this stack is empty afterwards. */
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

/** Disposes of the last entry first, each once. Throws the first error after all have run. */
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
