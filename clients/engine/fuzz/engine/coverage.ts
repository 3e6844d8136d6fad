import { COUNTERS_NAME } from './instrument.ts';

/**
 * Which branches were taken how often, one byte each, in the manner of AFL: counts fall into eight classes (1, 2,
 * 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more), and an input is of interest if it takes some branch a class of
 * times that none before it did. Counts wrap at 256.
 */
export interface Coverage {
  /** Clears the counts of the execution before. */
  begin(): void;
  /** Notes the execution's counts; true if some branch was taken a new class of times. */
  isNew(): boolean;
  /** Branches taken by any execution so far. */
  readonly branchCount: number;
}

const MAX_BRANCHES = 16_384;
/** The least count of each class. */
const CLASS_STARTS = [1, 2, 3, 4, 8, 16, 32, 128];
/** By count: a bit that stands for its class, none for 0. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, count) =>
  count === 0 ? 0 : 1 << CLASS_STARTS.findLastIndex((start) => start <= count),
);

/** Must be there before the first instrumented module is loaded. */
export function installCounters(): Uint8Array<ArrayBuffer> {
  const counters = new Uint8Array(MAX_BRANCHES);
  Object.defineProperty(globalThis, COUNTERS_NAME, { value: counters });
  return counters;
}

/** `usedBranches` returns how many of the counters have been assigned to modules. */
export function createCoverage(counters: Uint8Array<ArrayBuffer>, usedBranches: () => number): Coverage {
  const words = new Uint32Array(counters.buffer);
  const seen = new Uint8Array(MAX_BRANCHES);
  let branchCount = 0;
  const usedWords = (): number => Math.min(words.length, Math.ceil(usedBranches() / 4));

  return {
    get branchCount() {
      return branchCount;
    },
    begin: () => {
      counters.fill(0, 0, 4 * usedWords());
    },
    isNew() {
      let isNew = false;
      for (let word = usedWords() - 1; word >= 0; word--) {
        if (words[word] === 0) continue;
        for (let branch = 4 * word; branch < 4 * word + 4; branch++) {
          const before = seen[branch] ?? 0;
          const now = before | (CLASSES[counters[branch] ?? 0] ?? 0);
          if (now === before) continue;
          if (before === 0) branchCount += 1;
          seen[branch] = now;
          isNew = true;
        }
      }
      return isNew;
    },
  };
}
