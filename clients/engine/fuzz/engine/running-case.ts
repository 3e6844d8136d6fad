/**
 * Memory that the fuzzing thread and its supervisor share: the case that is being run, so that it is known when
 * the thread has to be killed, and the counts of the progress line.
 */
export interface RunningCase {
  readonly buffer: SharedArrayBuffer;
  /** By the thread, in front of a task's first execution: counts from 0. */
  beginTask(index: number): void;
  /** By the thread, in front of each execution. */
  begin(input: Uint8Array): void;
  /** By the thread, when the execution has ended. */
  end(): void;
  note(counts: Pick<RunCounts, 'corpus' | 'branches'>): void;
  /** The case that is being run, if one is. */
  input(): Buffer | undefined;
  taskIndex(): number;
  counts(): RunCounts;
}

export interface RunCounts {
  readonly executions: number;
  /** Cases that reached something new. */
  readonly corpus: number;
  readonly branches: number;
}

export const MAX_CASE_BYTES = 32 * 1024;
const HEADER_WORDS = 8;
/** 0: none is being run. */
const LENGTH_PLUS_1 = 0;
const TASK = 1;
const EXECUTIONS = 2;
const CORPUS = 3;
const BRANCHES = 4;

export function createRunningCase(
  buffer = new SharedArrayBuffer(4 * HEADER_WORDS + MAX_CASE_BYTES),
): RunningCase {
  const header = new Int32Array(buffer, 0, HEADER_WORDS);
  const bytes = new Uint8Array(buffer, 4 * HEADER_WORDS);
  const get = (word: number): number => Atomics.load(header, word);
  const set = (word: number, value: number): void => {
    Atomics.store(header, word, value);
  };
  return {
    buffer,
    beginTask(index) {
      set(TASK, index);
      for (const word of [LENGTH_PLUS_1, EXECUTIONS, CORPUS, BRANCHES]) set(word, 0);
    },
    begin(input) {
      bytes.set(input.subarray(0, MAX_CASE_BYTES));
      set(LENGTH_PLUS_1, Math.min(input.length, MAX_CASE_BYTES) + 1);
      set(EXECUTIONS, get(EXECUTIONS) + 1);
    },
    end: () => set(LENGTH_PLUS_1, 0),
    note({ corpus, branches }) {
      set(CORPUS, corpus);
      set(BRANCHES, branches);
    },
    input: () => (get(LENGTH_PLUS_1) === 0 ? undefined : Buffer.from(bytes.slice(0, get(LENGTH_PLUS_1) - 1))),
    taskIndex: () => get(TASK),
    counts: () => ({ executions: get(EXECUTIONS), corpus: get(CORPUS), branches: get(BRANCHES) }),
  };
}
