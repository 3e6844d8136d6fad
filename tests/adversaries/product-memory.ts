/** Memory and scratch space of a running product, the first every half second. Linux only. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Peaks {
  /** Resident bytes of each Node process, by process id. */
  readonly bytesByPid: ReadonlyMap<number, number>;
  readonly scratchBytes: number;
}

const EVERY_MS = 500;
/** The pause after a look at scratch, as a multiple of its time. */
const PAUSE_RATIO = 10;
const PAGE_BYTES = 4_096;

/** Watches the process `root` and all its descendants. */
export function watchProduct(root: number, scratchDirs: readonly string[]) {
  let bytesByPid = new Map<number, number>();
  let scratchBytes = 0;
  const over = new AbortController();
  const look = () => {
    for (const pid of nodesBelow(root))
      bytesByPid.set(pid, Math.max(bytesByPid.get(pid) ?? 0, residentBytes(pid)));
  };
  const timer = setInterval(look, EVERY_MS);
  const watchScratch = async () => {
    while (!over.signal.aborted) {
      const startedMs = performance.now();
      scratchBytes = Math.max(scratchBytes, await sumOf(scratchDirs));
      const tookMs = performance.now() - startedMs;
      await sleep(Math.max(EVERY_MS, PAUSE_RATIO * tookMs), undefined, { signal: over.signal });
    }
  };
  watchScratch().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  return {
    /** Since the last call. */
    takePeaks(): Peaks {
      look();
      const peaks = { bytesByPid, scratchBytes };
      bytesByPid = new Map();
      scratchBytes = 0;
      return peaks;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      over.abort();
    },
  };
}

/** The maximum growth of one process. */
export function growthBytes(before: Peaks, after: Peaks): number {
  const grown = [...after.bytesByPid].map(([pid, bytes]) => bytes - (before.bytesByPid.get(pid) ?? bytes));
  return Math.max(0, ...grown);
}

function nodesBelow(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found.filter(isNode);
}

function parentOf(pid: number): number | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The name of the program is in parentheses, and may contain any character.
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? undefined : Number(parent);
}

function isNode(pid: number): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)) === 'node';
  } catch {
    return false;
  }
}

function residentBytes(pid: number): number {
  return Number(readOrEmpty(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

/**
 * The disk space of the files: a sparse file counts with its written bytes. Another process of the lowest priority
 * looks, because tens of thousands of files would keep this one from measuring the innocent account.
 */
function sumOf(folders: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // It fails if a file is removed meanwhile, and prints the sum all the same.
    execFile('nice', ['-n', '19', 'du', '-s', '-c', '-B1', ...folders], (error, stdout) => {
      const total = /^(\d+)\ttotal$/m.exec(stdout)?.[1];
      if (total === undefined) reject(error);
      else resolve(Number(total));
    });
  });
}
