import { after, before } from 'node:test';

const opened: object[] = [];
const ready = new WeakMap<object, Promise<void>>();

/**
 * What the tests of a suite share: opened before the first of them, closed after the last. As soon as it is open, the
 * fields of the returned object are those of what `open` has resolved with. Outside of describe() all hooks of a file start
 * side by side; what is `needed` is open before.
 */
export function forSuite<T extends object>(open: () => T | Promise<T>, ...needed: readonly object[]): T {
  const shared = {} as T;
  let isOpen = false;
  const start = async () => {
    const resource: T = await open();
    opened.push(resource);
    isOpen = true;
    for (const key of Reflect.ownKeys(resource) as (keyof T)[]) {
      Object.defineProperty(shared, key, {
        enumerable: true,
        get: () => resource[key],
        set: (value: T[keyof T]) => {
          resource[key] = value;
        },
      });
    }
  };
  before(() => {
    const opening = Promise.all(needed.map((each) => ready.get(each))).then(start);
    ready.set(shared, opening);
    return opening;
  });
  // Hooks run in the order in which they were registered, and what was opened last is closed first.
  after(async () => {
    const resource: Partial<AsyncDisposable> = isOpen ? (opened.pop() ?? {}) : {};
    await resource[Symbol.asyncDispose]?.();
  });
  return shared;
}
