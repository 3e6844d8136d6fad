import { after, before } from 'node:test';

/** Ends what a test file has opened before its tests. For files that run in a process of their own. */
export function stackOfFile(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  return stack;
}

const opened: AsyncDisposable[] = [];

/**
 * What the tests of a suite share: opened before the first of them, closed after the last. The returned object has the
 * fields of what `open` resolves with, as soon as that is open.
 */
export function forSuite<T extends AsyncDisposable>(open: () => Promise<T>): T {
  const shared = {} as T;
  let isOpen = false;
  before(async () => {
    const resource = await open();
    opened.push(resource);
    isOpen = true;
    Object.defineProperties(shared, Object.getOwnPropertyDescriptors(resource));
  });
  // Hooks run in the order in which they were registered, and what was opened last is closed first.
  after(async () => {
    if (isOpen) await opened.pop()?.[Symbol.asyncDispose]();
  });
  return shared;
}
