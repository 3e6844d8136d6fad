import type { ChildNews } from './child-watch.ts';

export interface ChildGroups {
  note(news: ChildNews): void;
  count(): number;
  killAll(): void;
}

/** The host's list of an engine thread's children, each the head of a process group. */
export function createChildGroups(): ChildGroups {
  const pids = new Set<number>();
  return {
    note({ kind, pid }) {
      if (kind === 'child-started') pids.add(pid);
      else pids.delete(pid);
    },
    count: () => pids.size,
    killAll() {
      for (const pid of pids) if (!kill(-pid)) kill(pid);
      pids.clear();
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
