import type { ChunkMemory, FileChunks } from '../../source/local-file.ts';
import { abortableChunks } from './abortable-chunks.ts';

/**
 * A window onto a source that is read once, in order.
 *
 * Small chunks are gathered, so that walkers scan long runs without waiting and views of one window are
 * adjacent. A large chunk is not copied: it becomes the window. If bytes of the previous window are left,
 * they are copied to the memory before the chunk if there is room. Otherwise the two are bridged: the window
 * holds the remaining bytes and a copy of the chunk's first bytes, and once its reader has passed the seam,
 * the chunk itself becomes the window.
 *
 * A window is never overwritten, and the source must not overwrite a chunk before it was released: views stay
 * valid as long as they are held. Releasing matters only if the chunks' memory may be reused (`memory`). The
 * splitter releases by offset in the source, because it knows the oldest byte that it still reads. A missing
 * release costs speed; a release that comes too early gives wrong bytes, so the splitters' tests overwrite
 * released memory.
 */
const READ_AHEAD_BYTES = 64 * 1024;
/** Twice the largest frame of ADTS and ten times that of mp3, so that one bridge usually suffices. */
const BRIDGE_BYTES = 16 * 1024;

export interface ByteReader extends AsyncDisposable {
  /** The bytes that were read ahead and are not yet consumed. Replaced by `fill`. */
  readonly window: Buffer;
  /** The window's offset in the source. */
  readonly position: number;
  /** True once the source has ended; the window then holds all remaining bytes. */
  readonly ended: boolean;
  /** Reads until the window holds `byteCount` bytes; false if the source ends before that. */
  fill(byteCount: number): Promise<boolean>;
  /** Drops bytes from the front of the window; `byteCount` must not exceed its length. */
  consume(byteCount: number): void;
  /** Drops bytes, reading on as needed; false if the source ends before that. Memory use is constant. */
  skip(byteCount: number): Promise<boolean>;
  /** Reads to the end of the source and drops the rest. */
  drain(): Promise<void>;
  /**
   * Declares that views of bytes before this offset in the source are no longer used. Without it views stay
   * valid as long as they are held.
   */
  releaseBefore(position: number): void;
}

interface ByteReaderOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytesConsumed: number) => void;
  /** The memory of the source's chunks, if it may be reused. */
  readonly memory?: ChunkMemory;
}

const NOTHING = Buffer.alloc(0);

/**
 * Disposing closes the source's iterator without waiting for it: a stalled source must not delay an abort.
 */
export function openByteReader(
  source: AsyncIterable<Uint8Array> | FileChunks,
  options: ByteReaderOptions,
): ByteReader {
  const { memory } = options;
  const chunks = abortableChunks(source, options.signal);
  let window: Buffer = NOTHING;
  /** A chunk whose first `bridgedBytes` bytes are the last bytes of the window. */
  let bridgedChunk: Buffer = NOTHING;
  let bridgedBytes = 0;
  /**
   * The ends, in the source, of chunks that may still have views. Chunks that are never released are garbage
   * collected.
   */
  const unreleased: { readonly buffer: WeakRef<ArrayBufferLike>; readonly end: number }[] = [];
  let position = 0;
  let bytesRead = 0;
  let ended = false;

  async function fill(byteCount: number): Promise<boolean> {
    while (bridgedBytes > 0 && window.length < byteCount) crossBridge(byteCount);
    if (window.length >= byteCount) return true;
    if (ended) return false;
    const parts: Buffer[] = window.length === 0 ? [] : [window];
    let length = window.length;
    const target = Math.max(byteCount, READ_AHEAD_BYTES);
    while (length < target) {
      const chunk = await chunks.next();
      if (chunk === undefined) {
        ended = true;
        break;
      }
      parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      length += chunk.length;
      bytesRead += chunk.length;
      if (memory?.headroomBytes(chunk.buffer) !== undefined)
        unreleased.push({ buffer: new WeakRef(chunk.buffer), end: bytesRead });
    }
    join(parts, length, byteCount);
    options.onBytes(bytesRead);
    return window.length >= byteCount;
  }

  /** Makes one window of the rest of the previous one and the chunks after it. */
  function join(parts: readonly Buffer[], length: number, byteCount: number): void {
    const [first = NOTHING, second] = parts;
    if (parts.length !== 2 || second === undefined) {
      window = parts.length > 1 ? Buffer.concat(parts, length) : first;
    } else if (first.length <= (memory?.headroomBytes(second.buffer) ?? 0)) {
      window = Buffer.from(second.buffer, second.byteOffset - first.length, length);
      first.copy(window);
    } else if (
      first === window &&
      first.length + BRIDGE_BYTES >= byteCount &&
      second.length > BRIDGE_BYTES &&
      !ended
    ) {
      bridgedChunk = second;
      extendBridge(BRIDGE_BYTES);
    } else {
      window = Buffer.concat(parts, length);
    }
  }

  /** Extends the window by the available bytes, without a copy if nothing before the chunk is left. */
  function crossBridge(byteCount: number): void {
    if (window.length > bridgedBytes) {
      extendBridge(Math.max(byteCount - window.length, window.length));
      return;
    }
    window = bridgedChunk.subarray(bridgedBytes - window.length);
    endBridge();
  }

  function extendBridge(byteCount: number): void {
    const part = bridgedChunk.subarray(bridgedBytes, bridgedBytes + byteCount);
    window = Buffer.concat([window, part]);
    bridgedBytes += part.length;
    if (bridgedBytes === bridgedChunk.length) endBridge();
  }

  function endBridge(): void {
    bridgedChunk = NOTHING;
    bridgedBytes = 0;
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
      if (bridgedBytes === 0) left -= passOver(left);
      if (left === 0) return true;
      if (!(await fill(1))) return false;
    }
    consume(left);
    return true;
  }

  /** Skips bytes that need not be read, if the source is a file; returns how many. */
  function passOver(byteCount: number): number {
    if (!('passOver' in source)) return 0;
    const passedBytes = source.passOver(byteCount);
    position += passedBytes;
    bytesRead += passedBytes;
    options.onBytes(bytesRead);
    return passedBytes;
  }

  function releaseBefore(released: number): void {
    const end = Math.min(released, position);
    for (let [oldest] = unreleased; oldest !== undefined && oldest.end <= end; [oldest] = unreleased) {
      unreleased.shift();
      const buffer = oldest.buffer.deref();
      if (buffer !== undefined) memory?.recycle(buffer);
    }
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
    releaseBefore,
    [Symbol.asyncDispose]: async () => {
      void chunks.close().catch(() => undefined);
    },
  };
}
