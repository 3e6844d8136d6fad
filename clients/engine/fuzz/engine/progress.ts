import type { RunCounts } from './running-case.ts';

/** A line on a target's progress every now and then, and one at its end. */
export interface Progress {
  update(targetName: string, executions: number, counts: RunCounts): void;
  end(targetName: string, counts: RunCounts): void;
}

const EVERY_MS = 10_000;

export function createProgress(print: (line: string) => void): Progress {
  let startMs = performance.now();
  let printedMs = startMs;

  function write(targetName: string, share: string, counts: RunCounts): void {
    printedMs = performance.now();
    const seconds = (printedMs - startMs) / 1000;
    const figures = [
      `${counts.executions} executions`,
      `${Math.round(counts.executions / Math.max(seconds, 0.001))}/s`,
      `corpus ${counts.corpus}`,
      `${counts.branches} branches`,
    ];
    print(`${targetName.padEnd(16)} ${share.padStart(4)}  ${figures.join(', ')}`);
  }

  return {
    update(targetName, executions, counts) {
      if (performance.now() - printedMs < EVERY_MS) return;
      write(targetName, `${Math.floor((counts.executions / executions) * 100)}%`, counts);
    },
    end(targetName, counts) {
      write(targetName, 'done', counts);
      startMs = performance.now();
    },
  };
}
