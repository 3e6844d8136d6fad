import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

export type ChildEvent =
  | { readonly kind: 'child-started'; readonly pid: number }
  | { readonly kind: 'child-ended'; readonly pid: number };

/**
 * Reports every child process that this thread starts: Node publishes each on a diagnostics channel. A thread
 * that is terminated from outside cannot kill its children, so the host must know them.
 */
export function watchChildren(notify: (event: ChildEvent) => void): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    // Published before the child has its id, which it gets in the same turn of the event loop.
    queueMicrotask(() => {
      const { pid } = child;
      if (pid === undefined) return;
      notify({ kind: 'child-started', pid });
      child.once('exit', () => notify({ kind: 'child-ended', pid }));
    });
  });
}
