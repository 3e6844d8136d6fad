/** Memory and scratch space of a running product, read every half second. Linux only. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Peaks {
  /** Resident bytes of each Node process, by process id. */
  readonly bytesByPid: ReadonlyMap<number, number>;
  readonly scratchBytes: number;
}

const EVERY_MS = 500;
const PAGE_BYTES = 4_096;

/** Watches the process `root` and all its descendants. */
export function watchProduct(root: number, scratchDirs: readonly string[]) {
  let bytesByPid = new Map<number, number>();
  let scratchBytes = 0;
  const look = () => {
    for (const pid of nodesBelow(root))
      bytesByPid.set(pid, Math.max(bytesByPid.get(pid) ?? 0, residentBytes(pid)));
    scratchBytes = Math.max(scratchBytes, sumOf(scratchDirs));
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    /** Since the last call. */
    takePeaks(): Peaks {
      look();
      const peaks = { bytesByPid, scratchBytes };
      bytesByPid = new Map();
      scratchBytes = 0;
      return peaks;
    },
    [Symbol.dispose]: () => clearInterval(timer),
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

/** The disk space of the files: a sparse file counts with its written bytes. */
function sumOf(folders: readonly string[]): number {
  let bytes = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      try {
        bytes += statSync(join(folder, entry)).blocks * 512;
      } catch {
        // It has been removed meanwhile.
      }
    }
  }
  return bytes;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
