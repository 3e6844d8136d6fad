/** What one engine thread may use, and how long it may be deaf. */
export interface ThreadLimits {
  /** Of V8's heap for what lives long. Reaching it ends the thread, not the process. */
  readonly maxOldGenerationSizeMb: number;
  /** Of V8's heap for what has just been made; it is used to the full before it is swept, so it is memory spent. */
  readonly maxYoungGenerationSizeMb: number;
  /** Of array buffers, which lie outside the heap and its limits. Looked at from time to time. */
  readonly maxBufferMb: number;
  /** Of the heap since the thread's first split. One that has grown by more is replaced between two splits. */
  readonly maxHeapGrowthMb: number;
  /** A thread is replaced after so many, whatever it has grown by. */
  readonly maxSplits: number;
  /** A thread whose event loop has not turned for so long is ended. */
  readonly hungAfterMs: number;
  /** An aborted split gets this long to stop its children and to clear up. */
  readonly abortGraceMs: number;
  /** A thread that was ended gets this long to be gone: one that waits inside a system call cannot be. */
  readonly exitGraceMs: number;
}

export const THREAD_LIMITS: ThreadLimits = {
  maxOldGenerationSizeMb: 128,
  maxYoungGenerationSizeMb: 8,
  maxBufferMb: 256,
  maxHeapGrowthMb: 32,
  maxSplits: 10_000,
  hungAfterMs: 10_000,
  abortGraceMs: 10_000,
  exitGraceMs: 5_000,
};
