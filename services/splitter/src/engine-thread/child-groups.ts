import { setPriority } from 'node:os';
import type { ChildEvent } from './child-watch.ts';

/** On Unix, from 0, the service's own, to 19. */
const NICENESS = 19;

export interface ChildGroups {
  note(event: ChildEvent): void;
  count(): number;
  killAll(): void;
  /** Reports every event from now on, until it is disposed of. Only one listener at a time. */
  watch(notify: (event: ChildEvent) => void): Disposable;
}

/**
 * The host's list of an engine thread's child processes, each the leader of a process group. They run with a lower
 * priority than the service, so that long conversions slow neither requests nor leases nor the copies of other jobs.
 */
export function createChildGroups(): ChildGroups {
  const pids = new Set<number>();
  let watcher: ((event: ChildEvent) => void) | undefined;
  return {
    note(event) {
      const { kind, pid } = event;
      if (kind === 'child-started') {
        pids.add(pid);
        lowerPriority(pid);
      } else pids.delete(pid);
      watcher?.(event);
    },
    count: () => pids.size,
    killAll() {
      for (const pid of pids) if (!kill(-pid)) kill(pid);
      pids.clear();
    },
    watch(notify) {
      watcher = notify;
      return {
        [Symbol.dispose]() {
          watcher = undefined;
        },
      };
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has ended already.
  }
}

function kill(target: number): boolean {
  try {
    return process.kill(target, 'SIGKILL');
  } catch {
    // ESRCH: there is no such group because the child shares ours, or the group has ended.
    return false;
  }
}
