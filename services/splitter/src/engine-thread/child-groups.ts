import type { ChildEvent } from './child-watch.ts';

export interface ChildGroups {
  note(event: ChildEvent): void;
  count(): number;
  killAll(): void;
  /** Tells of what is noted from now on, until it is disposed of; to one at a time. */
  watch(tell: (event: ChildEvent) => void): Disposable;
}

/** The host's list of an engine thread's children, each the head of a process group. */
export function createChildGroups(): ChildGroups {
  const pids = new Set<number>();
  let watcher: ((event: ChildEvent) => void) | undefined;
  return {
    note(event) {
      const { kind, pid } = event;
      if (kind === 'child-started') pids.add(pid);
      else pids.delete(pid);
      watcher?.(event);
    },
    count: () => pids.size,
    killAll() {
      for (const pid of pids) if (!kill(-pid)) kill(pid);
      pids.clear();
    },
    watch(tell) {
      watcher = tell;
      return {
        [Symbol.dispose]() {
          watcher = undefined;
        },
      };
    },
  };
}

function kill(target: number): boolean {
  try {
    return process.kill(target, 'SIGKILL');
  } catch {
    // ESRCH: there is no such group (the child shares ours), or it has ended.
    return false;
  }
}
