import { after, before } from 'node:test';

/** Ends what a test file has opened before its tests. For files that run in a process of their own. */
export function stackOfFile(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  return stack;
}

/**
 * What the tests of a suite share: opened before the first of them, closed after the last. The returned object has the
 * fields of what `open` resolves with, as soon as that is open.
 */
export function forSuite<T extends AsyncDisposable>(open: () => Promise<T>): T {
  const shared = {} as T;
  before(async () => {
    Object.defineProperties(shared, Object.getOwnPropertyDescriptors(await open()));
  });
  // Where it could not be opened there is nothing to close.
  after(() => (shared as Partial<T>)[Symbol.asyncDispose]?.());
  return shared;
}
