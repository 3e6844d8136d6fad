import { after } from 'node:test';

/**
 * Disposes of everything that a test file opened before its tests. For files that run in their own process.
 */
export function stackOfFile(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  return stack;
}
