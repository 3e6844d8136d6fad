/**
 * A source that is decoded while it arrives. Its beginning is read twice: by the probe, which stops as soon
 * as it has enough information, and by the decoder. Memory holds the bytes that the probe has requested until
 * the decoder begins, and afterwards the last bytes that were passed on.
 */
import type { SourceContainer } from '../../formats/formats.ts';
import { type SourceBytes, TAIL_BYTES } from './source-bytes.ts';
import type { FedSource } from './source-process.ts';

/** More than the largest tag at the beginning (16 MiB) and the 5 MB that ffmpeg's probing reads. */
const MAX_HEAD_BYTES = 24 * 1024 * 1024;

export interface StreamingSource extends SourceBytes {
  /**
   * The bytes from the first one on, as far as the beginning extends. The reader may stop at any point, also
   * while waiting.
   */
  beginning(): AsyncGenerator<Uint8Array>;
  /** Whether `beginning` has been read to its end, with more to follow. */
  readonly isBeginningExhausted: boolean;
  /** All bytes, once; `head` is empty from then on. */
  whole(): AsyncGenerator<Uint8Array>;
  /** All its bytes, or some of them, as the input of a decoder. */
  fed(bytes: AsyncIterable<Uint8Array>): FedSource;
}

export function createStreamingSource(
  container: SourceContainer,
  bytes: AsyncIterable<Uint8Array>,
  sizeBytes: number | undefined,
): StreamingSource {
  const source = bytes[Symbol.asyncIterator]();
  const pulled: Promise<IteratorResult<Uint8Array>>[] = [];
  let head: Uint8Array[] = [];
  let isHeadKept = true;
  let isBeginningExhausted = false;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;

  function pull(at: number): Promise<IteratorResult<Uint8Array>> {
    let next = pulled[at];
    if (next === undefined) {
      next = source.next().then((result) => {
        if (result.done !== true && isHeadKept) head.push(result.value);
        return result;
      });
      // The reader that requested it may have stopped; the next one gets it.
      next.catch(() => undefined);
      pulled.push(next);
    }
    return next;
  }

  function keepTail(chunk: Uint8Array): void {
    tail.push(chunk);
    tailBytes += chunk.length;
    for (let [first] = tail; first !== undefined && tailBytes - first.length >= TAIL_BYTES; [first] = tail) {
      tailBytes -= first.length;
      tail = tail.slice(1);
    }
  }

  async function* whole(): AsyncGenerator<Uint8Array> {
    isHeadKept = false;
    head = [];
    for (;;) {
      const next = await (pulled.shift() ?? source.next());
      if (next.done === true) return;
      keepTail(next.value);
      yield next.value;
    }
  }

  return {
    container,
    async *beginning() {
      for (let at = 0, length = 0; length < MAX_HEAD_BYTES; at += 1) {
        const next = await pull(at);
        if (next.done === true) return;
        length += next.value.length;
        yield next.value;
      }
      isBeginningExhausted = true;
    },
    get isBeginningExhausted() {
      return isBeginningExhausted;
    },
    whole,
    fed: (fedBytes) => ({ container, bytes: fedBytes, sizeBytes }),
    async head(start, length) {
      if (head.length > 1) head = [Buffer.concat(head)];
      return Buffer.from(head[0]?.subarray(start, start + length) ?? []);
    },
    tail: async (length) => Buffer.concat(tail).subarray(-length),
  };
}
