/** The chunks of a source, one at a time, until a signal is aborted. */
interface AbortableChunks {
  /**
   * The next chunk; undefined at the end. Rejects with the signal's reason, also while waiting for a chunk.
   */
  next(): Promise<Uint8Array | undefined>;
  /** Closes the source and removes the listener from the signal. */
  close(): Promise<void>;
}

/**
 * Uses one listener for the whole source, and nothing that outlives a chunk: racing each chunk against one
 * long-lived promise would keep every chunk in memory as long as that promise exists.
 */
export function abortableChunks(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AbortableChunks {
  const iterator = source[Symbol.asyncIterator]();
  let rejectWaiting: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => rejectWaiting(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        rejectWaiting = reject;
        iterator.next().then((result) => resolve(result.done === true ? undefined : result.value), reject);
      }),
    async close() {
      signal.removeEventListener('abort', onAbort);
      await iterator.return?.();
    },
  };
}
