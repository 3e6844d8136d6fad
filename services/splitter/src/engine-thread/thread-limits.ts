/** Resource limits of one engine thread, and how long it may be unresponsive. */
export interface ThreadLimits {
  /** V8's old generation, for long-lived objects. Reaching the limit ends the thread, not the process. */
  readonly maxOldGenerationSizeMb: number;
  /**
   * V8's young generation, for new objects. It is filled before it is collected, so it counts as used memory.
   */
  readonly maxYoungGenerationSizeMb: number;
  /** Array buffers, which lie outside the heap and its limits. Checked periodically. */
  readonly maxBufferMb: number;
  /**
   * Growth of the heap since the thread's first split. A thread that has grown by more is replaced between
   * two splits.
   */
  readonly maxHeapGrowthMb: number;
  /** A thread is replaced after this many splits, regardless of its growth. */
  readonly maxSplits: number;
  /** A thread whose event loop has been blocked for this long is ended. */
  readonly hungAfterMs: number;
  /** Time for an aborted split to stop its child processes and to clean up. */
  readonly abortGraceMs: number;
  /** Time for a thread to end; one that waits inside a system call cannot. */
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
