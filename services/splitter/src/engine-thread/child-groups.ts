import type { ChildNews } from './child-watch.ts';

export interface ChildGroups {
  note(news: ChildNews): void;
  count(): number;
  killAll(): void;
  /** Tells of what is noted from now on, until it is disposed of; to one at a time. */
  watch(tell: (news: ChildNews) => void): Disposable;
}

/** The host's list of an engine thread's children, each the head of a process group. */
export function createChildGroups(): ChildGroups {
  const pids = new Set<number>();
  let watcher: ((news: ChildNews) => void) | undefined;
  return {
    note(news) {
      const { kind, pid } = news;
      if (kind === 'child-started') pids.add(pid);
      else pids.delete(pid);
      watcher?.(news);
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
