/**
 * A window onto a source that is read once, in order.
 *
 * Chunks of any size are gathered into windows of about READ_AHEAD_BYTES, so that walkers scan long runs
 * without waiting and views of one window lie side by side. A window is never written again: views of it
 * stay valid for as long as they are held.
 */
const READ_AHEAD_BYTES = 256 * 1024;

export interface ByteReader extends AsyncDisposable {
  /** The bytes that have been read ahead and not yet consumed. Replaced by `fill`. */
  readonly window: Buffer;
  /** Offset in the source of the window's first byte. */
  readonly position: number;
  /** True once the source has ended; the window then holds all that is left. */
  readonly ended: boolean;
  /** Reads until the window holds `byteCount` bytes; false when the source ends before that. */
  fill(byteCount: number): Promise<boolean>;
  /** Drops bytes from the front of the window; `byteCount` must not exceed its length. */
  consume(byteCount: number): void;
  /** Drops bytes, reading on as needed; false when the source ends before that. Memory stays constant. */
  skip(byteCount: number): Promise<boolean>;
  /** Reads to the end of the source and drops what is left. */
  drain(): Promise<void>;
}

export interface ByteReaderOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytesConsumed: number) => void;
}

const NOTHING = Buffer.alloc(0);

/** Disposing closes the source's iterator without waiting for it: a stalled source must not hold up an abort. */
export function openByteReader(source: AsyncIterable<Uint8Array>, options: ByteReaderOptions): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let window: Buffer = NOTHING;
  let position = 0;
  let bytesRead = 0;
  let ended = false;

  async function fill(byteCount: number): Promise<boolean> {
    if (window.length >= byteCount) return true;
    if (ended) return false;
    const parts: Uint8Array[] = [window];
    let length = window.length;
    const target = Math.max(byteCount, READ_AHEAD_BYTES);
    while (length < target) {
      const chunk = await nextChunk(iterator, options.signal);
      if (chunk === undefined) {
        ended = true;
        break;
      }
      parts.push(chunk);
      length += chunk.length;
      bytesRead += chunk.length;
    }
    window = Buffer.concat(parts, length);
    options.onBytes(bytesRead);
    return length >= byteCount;
  }

  function consume(byteCount: number): void {
    if (byteCount > window.length) throw new RangeError('consumed more bytes than were read');
    window = window.subarray(byteCount);
    position += byteCount;
  }

  async function skip(byteCount: number): Promise<boolean> {
    let left = byteCount;
    while (left > window.length) {
      left -= window.length;
      consume(window.length);
      if (!(await fill(1))) return false;
    }
    consume(left);
    return true;
  }

  return {
    get window() {
      return window;
    },
    get position() {
      return position;
    },
    get ended() {
      return ended;
    },
    fill,
    consume,
    skip,
    drain: async () => {
      await skip(Number.POSITIVE_INFINITY);
    },
    [Symbol.asyncDispose]: async () => {
      if (!ended) void iterator.return?.().catch(() => undefined);
    },
  };
}

function nextChunk(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .then((result) => resolve(result.done === true ? undefined : result.value), reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
